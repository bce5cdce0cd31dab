import {Accounts} from '../../../helpers/accounts.js';
import {type Api, openApi} from '../../../helpers/api.js';
import {type Person, World} from './world.js';

/** World in this process, with a clock that only tests advance. */
export class ClockedWorld extends World {
	readonly accounts: Accounts;
	readonly #api: Api;

	private constructor(accounts: Accounts, api: Api) {
		super({url: api.url, operatorToken: accounts.operatorToken});
		this.accounts = accounts;
		this.#api = api;
	}

	static async open(): Promise<ClockedWorld> {
		const accounts = await Accounts.open();
		const world = new ClockedWorld(accounts, await openApi(accounts));
		await world.populate();
		return world;
	}

	override async close(): Promise<void> {
		await this.#api.close();
		await this.accounts.close();
	}

	override passTime(ms: number): void {
		this.accounts.passTime(ms);
	}

	override async flush(): Promise<void> {
		await this.#api.services.credentials.stop();
	}

	/** Adds keys slowly, below the limit per minute. */
	override async addKeys(who: Person, count: number): Promise<void> {
		for (let done = 0; done < count; done++) {
			this.passTime(6000);
			await super.addKeys(who, 1);
		}
	}
}
