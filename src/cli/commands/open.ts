import type {Command} from 'commander';
import type {Context} from '../context.js';
import {findInbox, findMessage} from '../find.js';
import {addExamples} from '../options.js';
import {addBrowserFlag, type BrowserFlag, showPage} from '../show-page.js';
import {messageArgument} from './messages/read.js';

export function fillOpen(command: Command, context: Context): void {
	addBrowserFlag(command, 'valid once, for one minute')
		.argument('[inbox]', 'id, address or name')
		.argument('[message]', messageArgument)
		.action(async (inbox: string | undefined, message: string | undefined, flag: BrowserFlag) => {
			const {webSessions} = await context.api();
			const {url} = await webSessions.createLink(await pageOf(context, inbox, message));
			await showPage(context, url, flag);
		});
	addExamples(command, 'tinbox open', 'tinbox open signup latest');
}

/** What the page shows first. */
async function pageOf(context: Context, inbox: string | undefined, message: string | undefined) {
	if (inbox === undefined) {
		return {};
	}

	if (message === undefined) {
		return {inbox_id: (await findInbox(await context.api(), inbox)).id};
	}

	const {inboxId, id} = await findMessage(context, inbox, message);
	return {inbox_id: inboxId, message_id: id};
}
