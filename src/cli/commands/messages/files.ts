import {type Command, Option} from 'commander';
import {fieldsOf} from '../../../contract/field-names.js';
import type {ImportCheckBody, MessageSummaryBody} from '../../../contract/messages.js';
import {formatSize} from '../../../lib/text/units.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/home-flag.js';
import {
	addExamples,
	addHelpNote,
	collect,
	type FileFormat,
	fileFormats,
	type JsonFlag,
	jsonOption,
} from '../../options.js';
import type {TableColumn} from '../../output/table.js';
import {addFilterFlags, type FilterFlags} from './filter.js';

export type ExportOptions = FilterFlags & {readonly format: FileFormat; readonly output?: string};

export function addExport(messages: Command, context: Context): void {
	const command = messages
		.command('export')
		.description('export the messages of an inbox as eml, mbox or Maildir')
		.argument('<inbox>', 'id, address or name');
	addHelpNote(
		command,
		`Messages are written byte for byte, oldest first. File names come from message ids, never from mail content. Files are readable only by their owner, and their modification time is the time of receipt. Existing files are never overwritten. An interrupted export leaves only complete files.

In an mbox, lines that start with "From " are quoted (mboxrd), and a missing line break at the end is added.

--contains and --header search the newest 1000 messages that match the other filters.`,
	);
	addExamples(
		addHomeFlag(addFilterFlags(command), context),
		'tinbox messages export signup --output mails',
		'tinbox messages export signup --format mbox > signup.mbox',
		'tinbox messages export signup --format maildir --output Maildir',
	)
		.addOption(
			new Option('--format <format>', 'one file per message, one mbox file, or a Maildir')
				.choices(fileFormats)
				.default('eml'),
		)
		.option('-o, --output <path>', 'folder, or mbox file (default: stdout, for mbox or one message)')
		.action(async (inbox: string, options: ExportOptions) => {
			const {exportMessages} = await import('./export-messages.js');
			await exportMessages(inbox, options, context);
		});
}

/** Import result of a mail; for a dry run, the expected result. */
export type Imported = {
	/** File name, and the position in an mbox. */
	readonly location: string;
	readonly size: number;
	/** Message id; null if the mail was not stored. */
	readonly id: string | null;
	readonly from: string | null;
	readonly subject: string | null;
	/** Reason of the rejection; null if the mail was accepted. */
	readonly error: string | null;
	/** Parser warnings of a dry run, else null. */
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

/** Result of a stored mail. */
export function keptAt(location: string, {id, from, subject, size}: MessageSummaryBody): Imported {
	return {location, size, id, from, subject, error: null, warnings: null};
}

/** Result of a mail that passed a dry run. */
export function checkedAt(location: string, {from, subject, size, warnings}: ImportCheckBody): Imported {
	return {location, size, id: null, from, subject, error: null, warnings};
}

/** Result of a rejected mail or file. */
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
		.option('--to <address>', 'envelope recipient (default: To, Cc and Bcc); repeatable', collect)
		.option('-n, --dry-run', 'check each mail without importing it')
		.addOption(jsonOption(importedFields))
		.action(async (inbox: string, places: readonly string[], options: ImportOptions) => {
			const {importMessages} = await import('./import-messages.js');
			await importMessages(inbox, places, options, context);
		});
}
