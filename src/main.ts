import {main} from './cli/run.js';

for (const stream of [process.stdout, process.stderr]) {
	stream.on('error', error => {
		if ('code' in error && error.code === 'EPIPE') {
			// The reader of our output is gone. A command that has to clean up first is told; any other ends here.
			if (!stream.emit('left')) {
				process.exit(0);
			}
		} else if (stream === process.stdout) {
			process.stderr.write(`The output could not be written: ${error.message}.\n`);
			process.exit(1);
		}
		// What is left is stderr: a daemon whose log is on a full disk keeps running.
	});
}

await main(process);
