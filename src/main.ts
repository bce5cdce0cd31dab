import {main} from './cli/main.js';

for (const stream of [process.stdout, process.stderr]) {
	stream.on('error', error => {
		if ('code' in error && error.code === 'EPIPE') {
			// Whoever read our output has seen enough. A command that has something to clean up first hears of it.
			if (!process.emit('SIGPIPE', 'SIGPIPE')) {
				process.exit(0);
			}
		} else if (stream === process.stdout) {
			process.stderr.write(`The output could not be written: ${error.message}.\n`);
			process.exit(1);
		}
		// A daemon whose log is on a full disk works on.
	});
}

await main(process);
