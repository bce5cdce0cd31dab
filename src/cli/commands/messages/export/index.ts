import {type Command, Option} from 'commander';
import type {Context} from '../../../context.js';
import {addHomeFlag} from '../../../control/kept-home.js';
import {type FileFormat, fileFormats} from '../../../mail-files/formats.js';
import {addExamples} from '../../../options.js';
import {addFilterFlags, type FilterFlags} from '../filter.js';

export type ExportOptions = FilterFlags & {readonly format: FileFormat; readonly output?: string};

export function addExport(messages: Command, context: Context): void {
	const command = messages
		.command('export')
		.description('write the messages of an inbox into files that other programs read')
		.argument('<inbox>', 'its id, address or name');
	addExamples(
		addHomeFlag(addFilterFlags(command), context),
		'tinbox messages export signup --output mails',
		'tinbox messages export signup --format mbox > signup.mbox',
		'tinbox messages export signup --format maildir --output Maildir --subject Invoice',
	)
		.addOption(
			new Option('--format <format>', 'a file for each mail, one file with all, or a Maildir')
				.choices(fileFormats)
				.default('eml'),
		)
		.option('-o, --output <path>', 'folder, or for mbox a file (default: stdout, for mbox and for a single mail)')
		.addHelpText(
			'after',
			`
The oldest comes first. Each mail is written byte for byte, named by its id and never by what is in it; in an mbox, lines that begin
with "From " are quoted (mboxrd), and a last line without an end gets one. Files are for their owner alone and have the time when the
mail came. Nothing is ever replaced. Interrupted, it leaves nothing but whole files. Filters by --contains and --header look into
the newest 1000 messages that fit the others.`,
		)
		.action(async (inbox: string, options: ExportOptions) => {
			const {exportMessages} = await import('./export-messages.js');
			await exportMessages(inbox, options, context);
		});
}
