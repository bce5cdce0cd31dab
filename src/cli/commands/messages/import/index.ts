import {type Command, Option} from 'commander';
import type {Context} from '../../../context.js';
import {type FileFormat, fileFormats} from '../../../mail-files/formats.js';
import {addExamples, type JsonFlag, jsonOption} from '../../../options.js';
import {importedFields} from './imported.js';

export type ImportOptions = JsonFlag & {
	readonly format?: FileFormat;
	readonly from?: string;
	readonly to?: readonly string[];
	readonly dryRun?: boolean;
};

export function addImport(messages: Command, context: Context): void {
	const command = messages
		.command('import')
		.description('take mail in from files, as if it came now')
		.argument('<inbox>', 'its id, address or name')
		.argument('<places...>', 'eml files, mbox files, folders of them, Maildirs, or "-" for stdin');
	addExamples(
		command,
		'tinbox messages import signup mails/*.eml',
		'tinbox messages import signup takeout.mbox --dry-run',
		'ssh mail cat Mailbox | tinbox messages import signup -',
	)
		.addOption(
			new Option('--format <format>', 'take all for that (default: as the names and the beginnings say)').choices(
				fileFormats,
			),
		)
		.option('--from <address>', 'the sender of the envelope (default: the author that the header names)')
		.option(
			'--to <address>',
			'a recipient of the envelope; may be repeated (default: whom To, Cc and Bcc name)',
			(address: string, others: readonly string[] = []) => [...others, address],
		)
		.option('-n, --dry-run', 'say of each mail what would be kept and what is wrong, and keep nothing')
		.addOption(jsonOption(importedFields))
		.addHelpText(
			'after',
			`
Each mail is kept byte for byte, in this inbox whoever it is for, and announced by webhooks like any other; no fault meets it, and
nothing comes back. Who imports it twice has it twice. Of an mbox the quoting is undone (mboxrd, mboxo; mboxcl2 has none), and
Return-Path, Delivered-To and the lines between its mails count for nothing. In folders, files named .eml and .mbox are taken and links left out.

A mail that is refused is named and does not stop the others: the exit code is 1 then. Interrupted, what it has said is kept.`,
		)
		.action(async (inbox: string, places: readonly string[], options: ImportOptions) => {
			const {importMessages} = await import('./import-messages.js');
			await importMessages(inbox, places, options, context);
		});
}
