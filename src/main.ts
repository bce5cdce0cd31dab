import {main} from './cli/run.js';

for (const stream of [process.stdout, process.stderr]) {
	stream.on('error', error => {
		if ('code' in error && error.code === 'EPIPE') {
			// The reader closed the pipe. Commands with cleanup listen for "left"; all others end immediately.
			if (!stream.emit('left')) {
				process.exit(0);
			}
		} else if (stream === process.stdout) {
			process.stderr.write(`The output could not be written: ${error.message}.\n`);
			process.exit(1);
		}
		// Errors of stderr are ignored: a daemon keeps running if the disk with its log is full.
	});
}

await main(process);
