import {stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import type {Command} from 'commander';
import type {Client} from '../../../client/index.js';
import {errorCode} from '../../../lib/errors.js';
import {safeFileName} from '../../../lib/text/sanitize.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/kept-home.js';
import {findMessage} from '../../find.js';
import {addExamples} from '../../options.js';
import {Exit, exitCodes, notFound} from '../../output/exit.js';
import {printLine} from '../../output/print.js';
import {addMessageArguments} from './read.js';

type SaveFlags = {
	readonly attachment?: string;
	readonly output?: string;
	readonly force?: boolean;
};

export function addSave(messages: Command, context: Context): void {
	const command = messages.command('save').description('save a message or an attachment and print the file name');
	addHomeFlag(
		addMessageArguments(
			addExamples(
				command,
				'tinbox messages save signup',
				'tinbox messages save signup --attachment invoice.pdf --output /tmp',
			),
		),
		context,
	)
		.option('--attachment <attachment>', 'attachment number or file name (default: the message)')
		.option('-o, --output <path>', 'file or folder (default: the current folder)')
		.option('-f, --force', 'overwrite an existing file')
		.action(async (inbox: string, message: string, flags: SaveFlags) => save(inbox, message, flags, context));
}

async function save(inbox: string, message: string, flags: SaveFlags, context: Context): Promise<void> {
	const {attachment, output, force = false} = flags;
	const {client, inboxId, id} = await findMessage(context, inbox, message);
	const {name, bytes} =
		attachment === undefined
			? {name: safeFileName(`${id}.eml`, 'message.eml'), bytes: await client.messages.raw(inboxId, id)}
			: await fetchAttachment(client, inboxId, id, attachment);
	const file = await targetOf(output, name);
	await write(file, bytes, force);
	printLine(context.io, file);
}

async function fetchAttachment({messages}: Client, inboxId: string, messageId: string, wanted: string) {
	const {attachments} = await messages.get(inboxId, messageId);
	const found = attachments.find(({id}) => id === wanted) ?? attachments.find(({filename}) => filename === wanted);
	if (!found) {
		const known = attachments.map(({id, filename}) => `  ${id}  ${filename}`).join('\n');
		throw notFound(
			`The message has no attachment "${wanted}".`,
			known === '' ? 'It has no attachments.' : `Its attachments:\n${known}`,
		);
	}

	return {
		name: safeFileName(found.filename, `attachment-${found.id}`),
		bytes: await messages.attachment(inboxId, messageId, found.id),
	};
}

/** Only the user chooses the folder: the mail's name for an attachment is at most a file name in it. */
async function targetOf(output: string | undefined, name: string): Promise<string> {
	if (output === undefined) {
		return name;
	}

	const isFolder = output.endsWith(path.sep) || (await stat(output).catch(() => undefined))?.isDirectory();
	return isFolder ? path.join(output, name) : output;
}

async function write(file: string, bytes: Uint8Array, force: boolean): Promise<void> {
	await writeFile(file, bytes, {flag: force ? 'w' : 'wx'}).catch(error => {
		throw errorCode(error) === 'EEXIST'
			? new Exit(exitCodes.failed, 'file_exists', `The file "${file}" already exists.`, {
					hint: 'Overwrite it with --force, or choose another file with --output.',
				})
			: error;
	});
}
