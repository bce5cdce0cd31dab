import {version} from './lib/version.js';

for (const stream of [process.stdout, process.stderr]) {
	stream.on('error', error => {
		if ('code' in error && error.code === 'EPIPE') {
			// Whoever read our output has seen enough. A command that has something to clean up first hears of it.
			if (!process.emit('SIGPIPE', 'SIGPIPE')) {
				process.exit(0);
			}

			return;
		}

		throw error;
	});
}

const [first, ...others] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && others.length === 0) {
	// Scripts ask often, and it takes nothing of the rest.
	process.stdout.write(`${version}\n`);
} else {
	const {main} = await import('./cli/main.js');
	await main(process);
}
