import {plainLine} from '../../../lib/sanitize.js';
import {type Copyable, copyablesOf} from '../../core/copyable.js';
import {selectedInbox} from '../../core/inboxes.js';
import {selectedRow} from '../../core/list.js';
import {selectedFault} from '../state/faults.js';
import {codesAndLinks} from '../state/reading.js';
import type {WatchState} from '../state/state.js';
import type {Command, Watch} from '../watch.js';
import {notify} from './notify.js';

/** Copies what is selected, or asks which of several texts. */
export const copy: Command = async watch => {
	const items = copyables(watch.store.get());
	const [only] = items;
	if (only !== undefined && items.length === 1) {
		await copyText(watch, only.text);
	} else if (only !== undefined) {
		watch.store.update({dialog: {type: 'copy', items}});
	}
};

/** What is copied gets pasted into terminals, so that it is no more than text. */
export async function copyText(watch: Watch, text: string): Promise<void> {
	const plain = plainLine(text);
	const means = await watch.outside.copy(plain);
	notify(watch, `Copied ${plain} (${means})`);
}

/** The texts of the selected thing that are worth copying, each with the key that copies it. */
function copyables({screen, focus, preview, inboxes, messages, webhooks, faults}: WatchState): readonly Copyable[] {
	if (screen === 'webhooks') {
		const endpoint = selectedRow(webhooks.endpoints);
		const delivery = selectedRow(webhooks.deliveries);
		return copyablesOf({
			u: ['URL', endpoint?.url],
			e: ['endpoint ID', endpoint?.id],
			d: ['delivery ID', delivery?.id],
		});
	}

	if (screen === 'faults') {
		const hit = selectedRow(faults.hits);
		return copyablesOf({
			a: ['address', selectedInbox(inboxes)?.email_address],
			r: ['reply', hit?.reply ?? undefined],
			f: ['fault ID', selectedFault(faults)?.id],
			h: ['hit ID', hit?.id],
			m: ['message ID', hit?.message_id ?? undefined],
		});
	}

	if (focus.mail === 'inboxes') {
		const inbox = selectedInbox(inboxes);
		return copyablesOf({a: ['address', inbox?.email_address], i: ['ID', inbox?.id]});
	}

	const row = selectedRow(messages.shown);
	const inbox = inboxes.all.find(({id}) => id === row?.inbox_id) ?? selectedInbox(inboxes);

	const open = preview.message;
	const picked =
		open && focus.mail === 'preview' && preview.tab === 'codes' ? codesAndLinks(open)[preview.item] : undefined;
	return picked === undefined
		? copyablesOf({
				c: ['code', open?.codes[0]],
				l: ['link', open?.links[0]?.url],
				a: ['address', inbox?.email_address],
				i: ['ID', row?.id],
				p: ['page URL', preview.page],
			})
		: copyablesOf({c: [picked.label, picked.text]});
}
