import {ApiError} from '../../../client/errors.js';
import {causeOf} from '../../../lib/errors.js';
import {sleep} from '../../../lib/sleep.js';
import {type ListRead, withRead} from '../state/list-reads.js';
import {isFilter, keyOfPlace, type ListPlace, rowsAtOnce} from '../state/message-list.js';
import {listRead, openList, updatedList} from '../state/open-list.js';
import type {Web} from '../web.js';
import type {FindLack} from './lack.js';

/** How long nothing is read of a list of which more may change. */
const restMs = 250;

/** What the list in view lacks. */
export const listedMessages: FindLack = (state, {messages}) => {
	const lack = listRead(state);
	if (lack === undefined) {
		return undefined;
	}

	const {place, read} = lack;
	const list = openList(state);
	const rests = read.kind === 'news' || (list.revision === read.revision && list.doubt !== 'none');
	return {
		name: nameOf(place, read),
		async read(now) {
			await sleep(rests ? restMs : 0);
			const {place, read} = listRead(now()) ?? lack;
			const found = await rowsOf(messages, place, read);
			return state => updatedList(state, list => ({...withRead(list, place, read, found), problem: undefined}));
		},
		failed: error =>
			isFilter(place.filter) && error instanceof ApiError && error.status === 400
				? state =>
						updatedList(state, list => ({
							...list,
							rows: [],
							isComplete: true,
							problem: {field: error.errors?.[0]?.field, message: error.message},
						}))
				: {notice: {text: causeOf(error), tone: 'error'}},
	};
};

/**
 * What changed since makes no other one of it, nor does which page is in view by now: mail that keeps coming moves the rows on,
 * and no answer would ever be taken.
 */
function nameOf(place: ListPlace, read: ListRead): string {
	return `${keyOfPlace(place)} ${JSON.stringify({...read, changes: 0, page: 0})}`;
}

async function rowsOf(messages: Web['api']['messages'], {inboxId, filter}: ListPlace, read: ListRead) {
	const limit = rowsAtOnce;
	const asked = {
		page: {page: read.kind === 'page' ? read.page : 1},
		newest: {},
		more: {before: read.kind === 'more' ? read.before : undefined},
		news: {after: read.kind === 'news' ? read.after : undefined},
	}[read.kind];
	return inboxId === undefined
		? messages.summariesOfAll({...filter, ...asked, limit})
		: messages.summaries(inboxId, {...filter, ...asked, limit});
}
