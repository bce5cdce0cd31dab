import {STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import {problemType} from '../contract/problem.js';
import {HttpProblem, problemBody} from './problem.js';
import {safetyHeaders} from './safety-headers.js';

/** Answers what is no HTTP at all, or came too slowly to become a request; the connection ends with it. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}

	const body = problemBody(problemOf(error));
	const text = JSON.stringify(body);
	const headers = {
		...safetyHeaders,
		'Content-Type': problemType,
		'Content-Length': String(Buffer.byteLength(text)),
		Connection: 'close',
	};
	const head = [`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}`];
	for (const [name, value] of Object.entries(headers)) {
		head.push(`${name}: ${value}`);
	}

	socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function problemOf({code, message}: NodeJS.ErrnoException): HttpProblem {
	switch (code) {
		case 'ERR_HTTP_REQUEST_TIMEOUT':
			return new HttpProblem('timed_out', 'The request took too long to arrive.');
		case 'HPE_HEADER_OVERFLOW':
			return new HttpProblem('header_too_large', 'The header of the request is larger than 16 KiB.');
		default:
			return new HttpProblem('malformed', `This is not HTTP/1.1: ${message}.`);
	}
}
