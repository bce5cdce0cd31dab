import type {Command} from 'commander';
import type {Context} from '../context.js';
import {addHelpNote} from '../help/layout.js';
import {addExamples} from '../options.js';
import {printJson} from '../output/print.js';

export function addApiCommands(apiCommands: Command, {io, api}: Context): void {
	const spec = apiCommands.command('spec').description('print the OpenAPI document of the API');
	addExamples(spec, 'tinbox api spec > openapi.json', 'npx openapi-typescript <(tinbox api spec) -o api.d.ts');
	addHelpNote(spec, 'The daemon serves the same document as a web page at /docs.').action(async () =>
		printJson(io, await (await api()).daemon.openApi()),
	);
}
