import {type Command, Option} from 'commander';
import type {Context} from '../context.js';
import {untilSignal} from '../control/until-signal.js';
import {addExamples, addHelpNote, type JsonFlag, jsonOption} from '../options.js';
import {note, printJsonOr, printProperties} from '../output/print.js';
import {withProgress} from '../output/progress.js';

/** Row counts in the result. */
const fields =
	'users keys teams invites inboxes messages bounces endpoints deliveries faults fault_counts fault_hits'.split(' ');

type CopyFlags = JsonFlag & {readonly from: string; readonly to: string; readonly storeKeyFile?: string};

export function addStoreCommands(store: Command, context: Context): void {
	const keyOption = new Option('--store-key-file <file>', 'key file of the database; created if the database is empty');
	const command = store
		.command('copy')
		.description('copy all users, inboxes and mail to another store')
		.requiredOption('--from <place>', 'data folder or database URL, not in use by a daemon')
		.requiredOption('--to <place>', 'empty data folder or database, or an interrupted copy')
		.addOption(keyOption.env('TINBOX_STORE_KEY_FILE'))
		.addOption(jsonOption(fields))
		.action(async ({from, to, storeKeyFile: keyFile, json}: CopyFlags) => {
			const {io} = context;
			const counts = await copy({from, to, keyFile}, context);
			if (counts) {
				printJsonOr(io, counts, json, () => {
					printProperties(io, counts);
					note(io, 'The copy is complete: every row and every mail was compared.');
				});
			}
		});
	addHelpNote(command, 'Run an interrupted copy again to resume it. At the end, all rows and mails are compared.');
	addExamples(
		command,
		'tinbox store copy --from ~/.local/share/tinbox --to /srv/tinbox',
		'tinbox store copy --from /srv/tinbox --to "$DATABASE_URL" --store-key-file key',
	);
}

/** Copies the store and returns the row counts. If interrupted, prints a note and returns undefined. */
async function copy(
	places: {readonly from: string; readonly to: string; readonly keyFile: string | undefined},
	context: Context,
) {
	const {copyBetween} = await import('../../daemon/copy.js');
	const say = (_: unknown, sentence: string) => note(context.io, sentence);
	const log = {info: () => {}, warn: say, error: say};
	let counts: Readonly<Record<string, number>> | undefined;
	await untilSignal(async signal => {
		try {
			counts = await withProgress(context, async show =>
				copyBetween(
					{...places, log},
					{signal, onProgress: ({stage, table, done, rows}) => show(`${stage} ${nameOf(table)}`, done, rows)},
				),
			);
		} catch (error) {
			if (error !== signal.reason) {
				throw error;
			}

			note(context.io, 'The copy is not finished. Run the same command again to resume it.');
		}
	});
	return counts && Object.fromEntries(Object.entries(counts).map(([table, count]) => [nameOf(table), count]));
}

function nameOf(table: string): string {
	return table.replace(/[A-Z]/, letter => `_${letter.toLowerCase()}`);
}
