import {type Copyable, copyablesOf} from '../../core/copyable.js';
import {selectedInbox} from '../../core/inboxes.js';
import {attempt} from '../actions/attempt.js';
import {copyToClipboard} from '../actions/copy.js';
import {openedMessage} from '../actions/open-message.js';
import {faultChosen, hitsOf, openHit} from '../state/faults.js';
import {openDelivery, openEndpoint} from '../state/webhooks.js';
import type {Web} from '../web.js';
import type {PaneOfScreen} from './focus.js';

/** Copies what is selected, or asks which of several texts. */
export function copyFromMenu(web: Web, place: PaneOfScreen): void {
	const items = copyables(web, place);
	const [only] = items;
	if (only !== undefined && items.length === 1) {
		void attempt(web, async () => copyToClipboard(web, only.text));
	} else if (only !== undefined) {
		web.store.update({dialog: {type: 'copy', items}});
	}
}

/** The texts of the selected thing that are worth copying, each with the key that copies it. */
function copyables(web: Web, place: PaneOfScreen): readonly Copyable[] {
	const {route, inboxes, webhooks, faults} = web.store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === 'webhooks') {
		const endpoint = openEndpoint(webhooks, route);
		const delivery = openDelivery(webhooks, route);
		return copyablesOf({
			u: ['URL', endpoint?.url],
			e: ['endpoint ID', endpoint?.id],
			d: ['delivery ID', typeof delivery === 'object' ? delivery.id : undefined],
		});
	}

	if (route.screen === 'faults') {
		const faultId = faultChosen(route.faultId);
		const hit = openHit(hitsOf(faults, route.inboxId, faultId), route.hitId);
		return copyablesOf({
			a: ['address', inbox?.email_address],
			r: ['reply', hit?.reply ?? undefined],
			f: ['fault ID', faultId],
			h: ['hit ID', hit?.id],
			m: ['message ID', hit?.message_id ?? undefined],
		});
	}

	if (place === 'inboxes') {
		return copyablesOf({a: ['address', inbox?.email_address], i: ['ID', inbox?.id]});
	}

	const message = openedMessage(web);
	const own = inboxes.all.find(({id}) => id === message?.inbox_id) ?? inbox;
	return copyablesOf({
		c: ['code', message?.codes[0]],
		l: ['link', message?.links[0]?.url],
		a: ['address', own?.email_address],
		i: ['ID', message?.id],
		p: ['page URL', message && location.href],
	});
}
