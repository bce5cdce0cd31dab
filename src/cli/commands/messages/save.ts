import {type FileHandle, open, stat} from 'node:fs/promises';
import path from 'node:path';
import type {Command} from 'commander';
import type {Client} from '../../../client/index.js';
import {errorCode} from '../../../lib/error-code.js';
import {safeFileName} from '../../../lib/safe-file-name.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {Exit, exitCodes} from '../../exit.js';
import {findInbox} from '../../find-inbox.js';
import {findMessageId, latest} from '../../find-message.js';
import {printLine} from '../../output.js';

export type SaveOptions = {
	readonly inbox: string;
	readonly message: string;
	readonly attachment?: string;
	readonly output?: string;
	readonly force?: boolean;
};

export function addSave(parent: Command, context: Context, run = runSave): void {
	const command = parent.command('save').description('save a message or one of its attachments, and print the file');
	addExamples(
		command,
		'tinbox messages save signup',
		'tinbox messages save signup latest --attachment invoice.pdf --output /tmp',
	)
		.argument('<inbox>', 'its id, address or name')
		.argument('[message]', 'id of the message, or "latest"', latest)
		.option('--attachment <attachment>', 'its number or file name, in place of the whole message')
		.option('-o, --output <path>', 'file or folder (default: the current folder)')
		.option('-f, --force', 'replace a file that exists')
		.action(async (inbox: string, message: string, flags: Omit<SaveOptions, 'inbox' | 'message'>) =>
			run({inbox, message, ...flags}, context),
		);
}

export async function runSave(options: SaveOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, options.inbox);
	const id = await findMessageId(client, inbox, options.message);
	const {name, bytes} =
		options.attachment === undefined
			? {name: safeFileName(`${id}.eml`, 'message.eml'), bytes: await client.messages.raw(inbox.id, id)}
			: await fetchAttachment(client, inbox.id, id, options.attachment);
	const file = await targetOf(options.output, name);
	await write(file, bytes, options.force ?? false);
	printLine(io, file);
}

async function fetchAttachment({messages}: Client, inboxId: string, messageId: string, wanted: string) {
	const {attachments} = await messages.get(inboxId, messageId);
	const found = attachments.find(({id}) => id === wanted) ?? attachments.find(({filename}) => filename === wanted);
	if (!found) {
		const known = attachments.map(({id, filename}) => `  ${id}  ${filename}`).join('\n');
		throw new Exit(exitCodes.notFound, 'not_found', `The message has no attachment "${wanted}".`, {
			hint: known === '' ? 'It has none at all.' : `It has:\n${known}`,
		});
	}

	return {
		name: safeFileName(found.filename, `attachment-${found.id}`),
		bytes: await messages.attachment(inboxId, messageId, found.id),
	};
}

/** Only the user says where to write: what the mail calls its attachment is a name in that folder at most. */
async function targetOf(output: string | undefined, name: string): Promise<string> {
	if (output === undefined) {
		return name;
	}

	const isFolder = output.endsWith(path.sep) || (await stat(output).catch(() => undefined))?.isDirectory();
	return isFolder ? path.join(output, name) : output;
}

async function write(file: string, bytes: Uint8Array, force: boolean): Promise<void> {
	let handle: FileHandle;
	try {
		handle = await open(file, force ? 'w' : 'wx');
	} catch (error) {
		if (errorCode(error) === 'EEXIST') {
			throw new Exit(exitCodes.failed, 'file_exists', `The file "${file}" exists.`, {
				hint: 'Replace it with --force, or choose another with --output.',
			});
		}

		throw error;
	}

	try {
		await handle.writeFile(bytes);
	} finally {
		await handle.close();
	}
}
