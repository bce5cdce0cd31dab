import {type Receipt, sizeOfReceipt} from '../../../domain/mail/sending.js';
import type {TemplateRow} from '../../template-store.js';
import {Agenda} from './agenda.js';
import {Groups, Sums} from './indexes.js';
import {Table} from './table.js';

/** What is asked of what the sending APIs keep. */
export class SendingIndexes {
	readonly receiptsByExpiry = new Agenda<Receipt>(({expiresAt}) => expiresAt);
	readonly sizeOfReceipts = new Sums<Receipt, ''>(receipt => ['', sizeOfReceipt(receipt)]);
	readonly templatesOfUser = new Groups<TemplateRow>(({userId}) => [userId]);
}

export function createSendingTables({receiptsByExpiry, sizeOfReceipts, templatesOfUser}: SendingIndexes) {
	return {
		receipts: new Table<Receipt>({indexes: [receiptsByExpiry, sizeOfReceipts]}),
		templates: new Table<TemplateRow>({indexes: [templatesOfUser]}),
	};
}
