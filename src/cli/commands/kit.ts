import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Argument, type Command} from 'commander';
import type {Context} from '../context.js';
import {addExamples} from '../options.js';

/** The kits that are a file, with what that is best called. */
const kits = {pytest: 'conftest_tinbox.py'} as const;

export function fillKit(command: Command, {io}: Context): void {
	addExamples(command, ...Object.entries(kits).map(([name, file]) => `tinbox kit ${name} > ${file}`))
		.addArgument(new Argument('<name>', 'for which test framework').choices(Object.keys(kits)))
		.addHelpText(
			'after',
			`
pytest  a file to lie beside conftest.py, which says: pytest_plugins = ["conftest_tinbox"]

Those for Node.js are imported from this package: import {test} from 'tinbox/vitest' or 'tinbox/playwright',
and const {inbox} = require('tinbox/jest').setupTinbox(). All give a test an inbox of its own.`,
		)
		.action(async (name: keyof typeof kits) => {
			const file = createRequire(import.meta.url).resolve(`#kits/${kits[name]}`);
			io.stdout.write(await readFile(file, 'utf8'));
		});
}
