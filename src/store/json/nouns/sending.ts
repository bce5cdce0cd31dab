import {type Receipt, sizeOfReceipt} from '../../../domain/mail/sending.js';
import type {ReceiptStore, TemplateStore} from '../../port.js';
import {assertUserExists} from '../../rules/accounts.js';
import {
	assertNotAnswered,
	checkTemplateBytes,
	checkTemplateLimit,
	receiptShare,
	sizeOfTemplate,
	templateKey,
	templateOf,
	templateRow,
} from '../../rules/sending.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import {rowsOf, slice} from '../state/table.js';
import type {Writer} from '../writer.js';

/** Maximum size of all receipts in memory. */
const maxReceiptBytes = 32 * 1024 * 1024;

/** Sorts after all times. */
const always = '\u{10FFFF}';

/** Maximum number of receipts that one commit deletes. */
const receiptsPerCommit = 500;

/** Calls `store` with the change that stores a receipt. Throws `AlreadyAnswered` if there is one with its id. */
export type KeepReceipt = (receipt: Receipt, store: (change: Change) => Promise<void>) => Promise<void>;

/** Receipts in the JSON store. */
export function createReceiptStore(state: State, writer: Writer): {receipts: ReceiptStore; keepReceipt: KeepReceipt} {
	const {receipts} = state.tables;
	const {receiptsByExpiry, receiptsOfHolder, bytesOfReceipts} = state.sending;
	/** Commits under way by receipt id. A second request with the same id waits for the first. Never rejects. */
	const underWay = new Map<string, Promise<void>>();
	const keepReceipt: KeepReceipt = async (receipt, store) => {
		const {id} = receipt;
		while (underWay.has(id)) {
			await underWay.get(id);
		}

		assertNotAnswered(receipts.get(id), receipt);
		const storing = store([['put', 'receipts', receipt]]);
		underWay.set(
			id,
			storing.catch(() => {}).finally(() => underWay.delete(id)),
		);
		await storing;
	};
	/** Ids of receipts beyond the share of their holders. */
	function* beyondShare(): Generator<string> {
		const share = receiptShare(
			Array.from(bytesOfReceipts.entries(), ([, size]) => size),
			maxReceiptBytes,
		);
		for (const [holder, size] of bytesOfReceipts.entries()) {
			let left = size;
			for (const id of size > share ? receiptsOfHolder.until(holder, always) : []) {
				if (left <= share) {
					break;
				}

				const receipt = receipts.get(id);
				left -= receipt ? sizeOfReceipt(receipt) : 0;
				yield id;
			}
		}
	}

	return {
		keepReceipt,
		receipts: {
			get: async id => receipts.get(id),
			add: async receipt =>
				keepReceipt(receipt, async change => {
					await writer.commit(change);
				}),
			deleteExpired: async now => {
				const expired = slice(receiptsByExpiry.until(now), 0, receiptsPerCommit);
				const ids = expired.length > 0 ? expired : slice(beyondShare(), 0, receiptsPerCommit);
				await writer.commit(ids.map(id => ['delete', 'receipts', id]));
			},
			nextExpiry: async () => (bytesOfReceipts.total > maxReceiptBytes ? '' : receiptsByExpiry.next()),
		},
	};
}

/** Templates in the JSON store. */
export function createTemplateStore(state: State, writer: Writer): TemplateStore {
	const {templates, users} = state.tables;
	const {templatesOfUser, bytesOfTemplates} = state.sending;
	return {
		put: async (template, limit) =>
			writer.exclusive(template.userId, async () => {
				const row = templateRow(template);
				assertUserExists(users.get(template.userId));
				const before = templates.get(row.id);
				if (!before) {
					checkTemplateLimit(templatesOfUser.sizeOf(template.userId), limit);
				}

				const growth = sizeOfTemplate(row) - (before ? sizeOfTemplate(before) : 0);
				checkTemplateBytes(bytesOfTemplates.of(row.userId) + growth, bytesOfTemplates.total + growth, growth);
				await writer.commit([['put', 'templates', row]]);
			}),
		get: async (...key) => {
			const row = templates.get(templateKey(...key));
			return row && templateOf(row);
		},
		list: async userId =>
			rowsOf(templates, templatesOfUser.newestFirst(userId))
				.sort((a, b) => (a.id < b.id ? -1 : 1))
				.map(templateOf),
		delete: async (userId, provider, name) =>
			writer.exclusive(userId, async () => {
				const id = templateKey(userId, provider, name);
				return templates.has(id) && writer.commit([['delete', 'templates', id]]);
			}),
	};
}
