import {ApiError} from '../../../../client/errors.js';
import type {ClientFilter} from '../../../../client/filter.js';
import {describeFilter} from '../../../../client/filter-words.js';
import type {Client} from '../../../../client/index.js';
import {maxLimit} from '../../../../contract/page.js';
import type {Context} from '../../../context.js';
import {untilSignal} from '../../../control/until-signal.js';
import {findAfter, findInbox} from '../../../find.js';
import {usageError} from '../../../output/exit.js';
import {note} from '../../../output/print.js';
import {withProgress} from '../../../output/progress.js';
import {filterOf} from '../filter.js';
import type {ExportOptions} from './index.js';
import {type ExportedMail, writerTo} from './writers.js';

/** What is known of a message before it is read. */
type Row = Omit<ExportedMail, 'source'>;

/** Writes what there is when it begins, the oldest first. */
export async function exportMessages(inboxName: string, options: ExportOptions, context: Context): Promise<void> {
	const writer = writerTo(options, context.io);
	await untilSignal(async signal => {
		let written = 0;
		try {
			const client = await context.api();
			const inbox = await findInbox(client, inboxName);
			const filter = {...filterOf(options), after: await findAfter(client, inbox.id, options.after)};
			const which = `${describeFilter(filterOf(options))} in ${inbox.email_address}`;
			const rows = await allRows(client, inbox.id, filter, signal);
			if (rows.length > writer.max) {
				throw usageError(
					`There are ${rows.length} messages${which}, and stdout takes one as eml.`,
					'Name a folder with --output, or take --format mbox.',
				);
			}

			await withProgress(context, async show => {
				const onWritten = () => show('messages', ++written, rows.length);
				await writer.write(mailsOf(client, inbox.id, rows, {signal, onWritten}));
			});
			const missing = rows.length - written;
			const rest = missing === 0 ? '' : `; ${missing} were deleted meanwhile`;
			note(context.io, `Wrote ${written} of ${rows.length} messages${which}${rest}.`);
		} catch (error) {
			if (!signal.aborted) {
				throw error;
			}

			note(context.io, `Interrupted: ${writer.isAllOrNone ? 'nothing was written' : `wrote ${written} messages`}.`);
		}
	});
}

async function allRows(
	client: Client,
	inboxId: string,
	filter: ClientFilter,
	signal: AbortSignal,
): Promise<readonly Row[]> {
	const rows: Row[] = [];
	let before: string | undefined;
	for (;;) {
		const page = await client.messages.envelopes(inboxId, {...filter, before, limit: maxLimit}, signal);
		rows.push(
			...page.map(({id, envelope, received_at}) => ({id, sender: envelope.from, receivedAt: new Date(received_at)})),
		);
		before = page.at(-1)?.id;
		if (page.length < maxLimit) {
			return rows.reverse();
		}
	}
}

/** Leaves out what is deleted meanwhile. */
async function* mailsOf(
	{messages}: Client,
	inboxId: string,
	rows: readonly Row[],
	{signal, onWritten}: {readonly signal: AbortSignal; onWritten(): void},
): AsyncGenerator<ExportedMail> {
	for (const row of rows) {
		const source = await messages.rawStream(inboxId, row.id, signal).catch(error => {
			if (!(error instanceof ApiError && error.status === 404)) {
				throw error;
			}
		});
		if (source) {
			yield {...row, source};
			onWritten();
		}
	}
}
