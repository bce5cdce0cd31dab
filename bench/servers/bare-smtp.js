/** A bare smtp-server that discards mail: the lower bound for SMTP. Prints its port. */
import {SMTPServer} from 'smtp-server';

const server = new SMTPServer({
	authOptional: true,
	disabledCommands: ['STARTTLS'],
	disableReverseLookup: true,
	logger: false,
	onData(stream, _session, callback) {
		stream.on('data', () => {});
		stream.on('end', () => callback());
	},
});
server.on('error', () => {});
const listener = server.listen(0, '127.0.0.1', () => {
	const address = listener.address();
	console.log(JSON.stringify({port: typeof address === 'object' ? address?.port : undefined}));
});
process.on('SIGTERM', () => server.close(() => process.exit()));
