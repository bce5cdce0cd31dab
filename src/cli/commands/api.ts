import type {Command} from 'commander';
import type {Context} from '../context.js';
import {addExamples} from '../options.js';
import {printJson} from '../output/print.js';

export function addApiCommands(apiCommands: Command, {io, api}: Context): void {
	addExamples(
		apiCommands.command('spec').description('print the OpenAPI document of the API'),
		'tinbox api spec > openapi.json',
		'npx openapi-typescript <(tinbox api spec) -o api.d.ts',
	)
		.addHelpText('after', '\nThe daemon shows the same for people: open /docs at its address in a browser.')
		.action(async () => printJson(io, await (await api()).daemon.openApi()));
}
