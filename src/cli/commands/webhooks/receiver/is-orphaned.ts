import {once} from 'node:events';
import {connect} from 'node:net';
import {errorCode} from '../../../../lib/error-code.js';
import {receiverPath} from './receiver.js';

/** Whether the URL is that of a receiver which is there no more: its process was killed. */
export async function isOrphaned(url: string): Promise<boolean> {
	const {hostname, port, pathname} = new URL(url);
	if (hostname !== '127.0.0.1' || pathname !== receiverPath) {
		return false;
	}

	const socket = connect(Number(port), hostname);
	try {
		await once(socket, 'connect');
		return false;
	} catch (error) {
		return errorCode(error) === 'ECONNREFUSED';
	} finally {
		socket.destroy();
	}
}
