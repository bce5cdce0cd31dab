import {type Command, Option} from 'commander';
import {fieldsOf} from '../../../contract/field-names.js';
import type {ImportCheckBody, MessageSummaryBody} from '../../../contract/messages.js';
import {formatSize} from '../../../lib/text/units.js';
import type {Context} from '../../context.js';
import {addHelpNote} from '../../help/layout.js';
import {type FileFormat, fileFormats} from '../../mail-files/formats.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import type {TableColumn} from '../../output/table.js';

/** What became of a mail in a file, or would become of it. */
export type Imported = {
	/** Its file, and its place in an mbox. */
	readonly location: string;
	readonly size: number;
	/** Of the message; null where there is none. */
	readonly id: string | null;
	readonly from: string | null;
	readonly subject: string | null;
	/** Why it is not taken; null where it is. */
	readonly error: string | null;
	/** What could not be read of it; null where that was not looked at. */
	readonly warnings: readonly string[] | null;
};

const importedFields = fieldsOf<Imported>()('location size id from subject error warnings');

export const importedColumns: readonly TableColumn<Imported>[] = [
	{header: 'LOCATION', value: ({location}) => location},
	{header: 'SIZE', value: ({size}) => String(size), show: ({size}) => formatSize(size)},
	{header: 'FROM', value: ({from}) => from ?? ''},
	{header: 'SUBJECT', value: ({subject}) => subject ?? ''},
	{header: 'PROBLEMS', value: ({error, warnings}) => error ?? (warnings ?? []).join(' ')},
];

/** Of a mail that was kept. */
export function keptAt(location: string, {id, from, subject, size}: MessageSummaryBody): Imported {
	return {location, size, id, from, subject, error: null, warnings: null};
}

/** Of a mail that would be kept. */
export function checkedAt(location: string, {from, subject, size, warnings}: ImportCheckBody): Imported {
	return {location, size, id: null, from, subject, error: null, warnings};
}

/** Of a mail, or a whole file, that is not taken. */
export function refusedAt(location: string, size: number, error: string): Imported {
	return {location, size, id: null, from: null, subject: null, error, warnings: null};
}

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
