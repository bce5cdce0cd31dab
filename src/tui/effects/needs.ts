import type {InboxBody} from '../../contract/inboxes.js';
import type {MessageBody, MessageSummaryBody} from '../../contract/messages.js';
import {selectedRow} from '../state/list.js';
import {pageBehind, wantsMore} from '../state/messages.js';
import {deliveriesRequest, endpointsRequest} from '../state/requests.js';
import type {WatchApi} from '../watch-api.js';
import type {Need} from './keep.js';

const longestPage = 100;

/** How long a message stays selected before it is opened. */
const restMs = 50;

/** Bytes of a source that are shown; the pager shows all of them. */
const longestSource = 256 * 1024;

/** All that the screens show, as far as the state lacks it. */
export function needsOf(api: WatchApi): readonly Need[] {
	return [inboxes(api), messages(api), message(api), source(api), endpoints(api), deliveries(api)];
}

function inboxes(api: WatchApi): Need {
	return {
		wanted: ({inboxesRevision, revision}) => (inboxesRevision === revision ? undefined : `inboxes ${revision}`),
		async read() {
			const rows: InboxBody[] = [];
			for (let page = 1; ; page++) {
				const {inboxes: found} = await api.inboxes.list({page, limit: longestPage});
				rows.push(...found);
				if (found.length < longestPage) {
					return {type: 'inboxes read', rows};
				}
			}
		},
	};
}

function messages(api: WatchApi): Need {
	return {
		wanted: state => (wantsMore(state) ? `messages ${state.messages.inboxId} ${state.revision}` : undefined),
		async read({messages: {inboxId = '', all}}) {
			const next = pageBehind(all.length);
			const found = await api.messages.list(inboxId, next);
			return {
				type: 'messages read',
				inboxId,
				rows: found.map(summaryOf),
				first: all.length === 0,
				complete: found.length < next.limit,
			};
		},
	};
}

/** Without the bodies, of which a long list would hold megabytes. */
function summaryOf({id, inbox_id, from, to, subject, size, received_at}: MessageBody): MessageSummaryBody {
	return {id, inbox_id, from, to, subject, size, received_at};
}

function message(api: WatchApi): Need {
	return {
		delayMs: restMs,
		wanted({messages: {shown}, preview, revision}) {
			const id = selectedRow(shown)?.id;
			return id === preview.message?.id ? undefined : `message ${id} ${revision}`;
		},
		async read({messages: {shown}}) {
			const row = selectedRow(shown);
			return {type: 'message read', message: await api.messages.get(row?.inbox_id ?? '', row?.id ?? '')};
		},
	};
}

function source(api: WatchApi): Need {
	return {
		wanted: ({preview: {tab, message: open, source: text}, revision}) =>
			tab === 'source' && text === undefined && open ? `source ${open.id} ${revision}` : undefined,
		async read({preview: {message: open}}) {
			const bytes = await api.messages.raw(open?.inbox_id ?? '', open?.id ?? '');
			return {type: 'source read', messageId: open?.id ?? '', source: bytes.toString('utf8', 0, longestSource)};
		},
	};
}

function endpoints(api: WatchApi): Need {
	return {
		wanted(state) {
			const request = endpointsRequest(state);
			return state.screen === 'webhooks' && request !== state.webhooks.endpointsRead
				? `endpoints ${request}`
				: undefined;
		},
		read: async () => ({type: 'endpoints read', rows: (await api.webhooks.list()).endpoints}),
	};
}

function deliveries(api: WatchApi): Need {
	return {
		wanted(state) {
			const request = deliveriesRequest(state);
			return state.screen === 'webhooks' && request !== state.webhooks.deliveriesRead ? request : undefined;
		},
		async read(state) {
			const endpointId = state.webhooks.endpoints.selected ?? '';
			const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {page: 1, limit: longestPage});
			return {type: 'deliveries read', request: deliveriesRequest(state) ?? '', rows, total: pagination.total};
		},
	};
}
