import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Argument, type Command} from 'commander';
import type {Context} from '../context.js';
import {addExamples, addHelpNote} from '../options.js';
import {printJson} from '../output/print.js';

/** Kits that consist of one file, with its usual name. */
const kits = {pytest: 'conftest_tinbox.py'} as const;

export function fillKit(command: Command, {io}: Context): void {
	addHelpNote(
		command,
		`For pytest, save the output beside conftest.py, and add this line to conftest.py:

  pytest_plugins = ["conftest_tinbox"]

Kits for Node.js are imported from this package:

  import {test} from 'tinbox/vitest'
  import {test} from 'tinbox/playwright'
  const {inbox} = require('tinbox/jest').setupTinbox()

All of them give each test its own inbox.`,
	);
	addExamples(command, ...Object.entries(kits).map(([name, file]) => `tinbox kit ${name} > ${file}`))
		.addArgument(new Argument('<name>', 'test framework').choices(Object.keys(kits)))
		.action(async (name: keyof typeof kits) => {
			const file = createRequire(import.meta.url).resolve(`#kits/${kits[name]}`);
			io.stdout.write(await readFile(file, 'utf8'));
		});
}

export function addApiCommands(apiCommands: Command, {io, api}: Context): void {
	const spec = apiCommands.command('spec').description('print the OpenAPI document of the API');
	addExamples(spec, 'tinbox api spec > openapi.json', 'npx openapi-typescript <(tinbox api spec) -o api.d.ts');
	addHelpNote(spec, 'The daemon serves the same document as a web page at /docs.').action(async () =>
		printJson(io, await (await api()).daemon.openApi()),
	);
}
