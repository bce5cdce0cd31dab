import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printJson, printProperties} from '../../output.js';
import {inboxFields} from './fields.js';

export type ShowOptions = {readonly inbox: string; readonly json?: JsonFields};

export function addShow(parent: Command, context: Context, run = runShow): void {
	parent
		.command('show')
		.description('show an inbox')
		.argument('<inbox>', 'its id, address or name')
		.addOption(jsonOption(inboxFields))
		.action(async (inbox: string, flags: Omit<ShowOptions, 'inbox'>) => run({inbox, ...flags}, context));
}

export async function runShow({inbox: text, json}: ShowOptions, {io, api}: Context): Promise<void> {
	const inbox = await findInbox(await api(), text);
	if (json) {
		printJson(io, inbox, json);
	} else {
		printProperties(io, inbox);
	}
}
