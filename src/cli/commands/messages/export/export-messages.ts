import {ApiError} from '../../../../client/errors.js';
import type {ClientFilter} from '../../../../client/filter.js';
import {describeFilter} from '../../../../client/filter-words.js';
import type {Client} from '../../../../client/index.js';
import {maxLimit} from '../../../../contract/constants.js';
import {inBatches} from '../../../../lib/io/streams.js';
import type {Context} from '../../../context.js';
import {untilSignal} from '../../../control/until-signal.js';
import {findAfter, findInbox} from '../../../find.js';
import {fitTogether} from '../../../mail-files/fit-together.js';
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
		const over = new AbortController();
		const reading = AbortSignal.any([signal, over.signal]);
		try {
			const client = await context.api();
			const inbox = await findInbox(client, inboxName);
			const filter = {...filterOf(options), after: await findAfter(client, inbox.id, options.after)};
			const which = `${describeFilter(filterOf(options))} in ${inbox.email_address}`;
			const rows = await allRows(client, inbox.id, filter, signal);
			if (rows.length > writer.max) {
				throw usageError(
					`There are ${rows.length} messages${which}, but only one can be written to stdout as eml.`,
					'Specify a folder with --output, or use --format mbox.',
				);
			}

			await withProgress(context, async show => {
				const mails = mailsOf(client, inbox.id, rows, reading);
				await writer.write(inBatches(mails, fitTogether), () => show('messages', ++written, rows.length));
			});
			const missing = rows.length - written;
			const rest = missing === 0 ? '' : `; ${missing} were deleted in the meantime`;
			note(context.io, `Exported ${written} of ${rows.length} messages${which}${rest}.`);
		} catch (error) {
			if (!signal.aborted) {
				throw error;
			}

			note(context.io, `Interrupted: ${writer.isAllOrNone ? 'nothing was written' : `wrote ${written} messages`}.`);
		} finally {
			over.abort();
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
			...page.map(({id, size, envelope, received_at}) => ({
				id,
				size,
				sender: envelope.from,
				receivedAt: new Date(received_at),
			})),
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
	signal: AbortSignal,
): AsyncGenerator<ExportedMail> {
	for (const some of callsFor(rows)) {
		const [first] = some;
		if (first && some.length === 1) {
			const source = await messages.rawStream(inboxId, first.id, signal).catch(ignoreMissing);
			yield* source ? [{...first, source}] : [];
		} else {
			const read =
				(await messages
					.sources(
						inboxId,
						some.map(({id}) => id),
						signal,
					)
					.catch(ignoreMissing)) ?? [];
			const sources = new Map(read.map(({id, source}) => [id, Buffer.from(source, 'base64')]));
			for (const row of some) {
				const source = sources.get(row.id);
				yield* source ? [{...row, source: [source]}] : [];
			}
		}
	}
}

/** As many at a time as one call reads. */
function* callsFor(rows: readonly Row[]): Generator<readonly Row[]> {
	let call: Row[] = [];
	for (const row of rows) {
		if (call.length > 0 && !fitTogether(call, row)) {
			yield call;
			call = [];
		}

		call.push(row);
	}

	if (call.length > 0) {
		yield call;
	}
}

function ignoreMissing(error: unknown): undefined {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
