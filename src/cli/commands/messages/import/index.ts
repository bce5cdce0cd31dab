import {type Command, Option} from 'commander';
import type {Context} from '../../../context.js';
import {addHelpNote} from '../../../help/layout.js';
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
		.description('import mail from files into an inbox')
		.argument('<inbox>', 'id, address or name')
		.argument('<paths...>', 'eml or mbox files, folders, Maildirs, or "-" for stdin');
	addHelpNote(
		command,
		`Each mail is stored byte for byte in this inbox, whatever its recipients, with the current time as time of receipt. Webhooks are sent as for any other mail, but faults and automatic bounces do not apply. Duplicates are not detected.

In an mbox, "From " quoting is removed (mboxrd, mboxo). Return-Path, Delivered-To and separator lines do not set the envelope. In folders other than Maildirs, only .eml and .mbox files are imported; symbolic links are skipped.

If a mail is rejected, the others are still imported, and the exit code is 1. After an interruption, the mails reported so far are stored.`,
	);
	addExamples(
		command,
		'tinbox messages import signup mails/*.eml',
		'tinbox messages import signup takeout.mbox --dry-run',
		'ssh mail cat Mailbox | tinbox messages import signup -',
	)
		.addOption(
			new Option('--format <format>', 'input format (default: detect by name and content)').choices(fileFormats),
		)
		.option('--from <address>', 'envelope sender (default: the From header)')
		.option(
			'--to <address>',
			'envelope recipient (default: To, Cc and Bcc); repeatable',
			(address: string, others: readonly string[] = []) => [...others, address],
		)
		.option('-n, --dry-run', 'check each mail without importing it')
		.addOption(jsonOption(importedFields))
		.action(async (inbox: string, places: readonly string[], options: ImportOptions) => {
			const {importMessages} = await import('./import-messages.js');
			await importMessages(inbox, places, options, context);
		});
}
