import {conditionsOf, type MessageQuery, type SummaryFilter} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import {Slices} from '../../lib/slices.js';
import {type Looked, look} from '../../store/look.js';
import type {InboxScope, Store} from '../../store/store.js';
import {needsSearch, type Search} from './search.js';

/** How many messages a search reads at once: to find where to go on in many inboxes costs more than to read few. */
const rowsAtOnce = 1000;

type AllMailStores = {
	readonly messages: Pick<Store['messages'], 'listAll'>;
	readonly teams: Pick<Store['teams'], 'listOf'>;
};

/** The mail of all inboxes that a user sees. */
export class AllMail {
	readonly #store: AllMailStores;
	readonly #search: Search;
	readonly #now: () => Date;
	readonly #slices = new Slices();

	constructor(store: AllMailStores, search: Search, now: () => Date) {
		this.#store = store;
		this.#search = search;
		this.#now = now;
	}

	/**
	 * The newest that match, in the order of `MessageStore.listAll`; of what asks for content, as far back as a search goes. Ends with
	 * the signal.
	 */
	async list(user: User, filter: MessageQuery, limit: number, signal: AbortSignal): Promise<readonly Message[]> {
		const teams = await this.#store.teams.listOf(user.id);
		const scope = {userId: user.id, teamIds: teams.map(({id}) => id)};
		const now = this.#now().toISOString();
		if (!needsSearch(filter)) {
			return this.#store.messages.listAll(scope, now, filter, limit);
		}

		const walk = (plain: SummaryFilter) => this.#walk(scope, now, plain);
		const {found} = await this.#search.findIn(walk, user.id, filter, {page: 1, limit}, signal);
		return found;
	}

	async *#walk(scope: InboxScope, now: string, filter: SummaryFilter): AsyncGenerator<readonly Message[]> {
		const conditions = conditionsOf(filter);
		let {before} = filter;
		for (let isLast = false; !isLast; ) {
			const rows = await this.#store.messages.listAll(scope, now, {...filter, before}, rowsAtOnce);
			before = rows.at(-1)?.id;
			isLast = rows.length < rowsAtOnce;
			const rest = rows.values();
			for (let step: Looked = {fitting: [], isLast: false}; !step.isLast; ) {
				step = await this.#slices.run(scope.userId, look(rest, conditions));
				yield step.fitting;
			}
		}
	}
}
