import {type Command, Option} from 'commander';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/kept-home.js';
import {addHelpNote} from '../../help/layout.js';
import {type FileFormat, fileFormats} from '../../mail-files/formats.js';
import {addExamples} from '../../options.js';
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
