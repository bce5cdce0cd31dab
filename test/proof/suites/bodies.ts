import {once} from 'node:events';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseAnswer, type RawAnswer} from '../../helpers/raw-http.js';
import {routes} from '../requests/routes.js';
import {openWorld, type World} from '../requests/world.js';
import type {Proven} from '../start.js';

/** A body as it is sent, and what it must come to. */
type Case = {
	readonly headers?: readonly string[];
	readonly body: string;
	/** Milliseconds before each byte. */
	readonly slowness?: number;
	readonly isRight: (answer: RawAnswer) => boolean;
};

const type = 'Content-Type: application/json';
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body, 'latin1')}`;
const has = (status: number, code: string) => (answer: RawAnswer) =>
	answer.status === status && codeOf(answer) === code;

/** Keys through which a body could reach into the prototype of an object, on top and within. */
const prototypeCases = ['__proto__', 'prototype', 'constructor', '\\u005f_proto__'].flatMap((key): Case[] => {
	const isRight = ({status, body}: RawAnswer) =>
		status === 400 && body.includes(`"errors":[{"field":"${JSON.parse(`"${key}"`)}"`);
	return [`{"${key}":{"polluted":1}}`, `{"name":{"a":[{"${key}":{"polluted":1}}]}}`].map(body => ({body, isRight}));
});

const mebibyte = 1024 * 1024;
const cases: readonly Case[] = [
	...prototypeCases,
	...['{', '{"name":', '[1', "{'a':1}", '\xff', '['.repeat(100_000)].map(
		(body): Case => ({body, isRight: has(400, 'malformed')}),
	),
	...['[]', '1', '"x"', 'null'].map((body): Case => ({body, isRight: has(400, 'invalid_input')})),
	{
		body: 'name=x',
		headers: ['Content-Type: text/plain', 'Content-Length: 6'],
		isRight: has(415, 'unsupported_media_type'),
	},
	{body: '', headers: [type, 'Content-Length: 99999999999'], isRight: has(413, 'too_large')},
	{body: `{"name":"${'x'.repeat(mebibyte)}"}`, isRight: has(413, 'too_large')},
	{
		body: `200000\r\n${'x'.repeat(2 * mebibyte)}\r\n0\r\n\r\n`,
		headers: [type, 'Transfer-Encoding: chunked'],
		isRight: has(413, 'too_large'),
	},
	{body: '{"surely not a field":1}', slowness: 2, isRight: has(400, 'invalid_input')},
];

/** Bodies that are hostile, too large or slow, to every route that takes one. */
export async function burden(daemon: Proven, {every = 1, progress = (_: string) => {}} = {}) {
	const chosen = routes.filter(({body}) => body).filter((_, index) => index % every === 0);
	const counts = {routes: chosen.length, requests: 0, misanswered: 0};
	const world = await openWorld(daemon);
	await daemon.report();
	for (const {request} of chosen) {
		const answers = await Promise.all(
			cases.map(async some => ({some, answer: await send(daemon, world, request, some)})),
		);
		for (const {some, answer} of answers.filter(({some, answer}) => !some.isRight(answer))) {
			counts.misanswered++;
			progress(`${request} ${some.body.slice(0, 60)}: ${answer.status} ${answer.body}`);
		}

		counts.requests += cases.length;
	}

	world.client.close();
	world.operator.close();
	const {errors, stalls, pollution} = await daemon.report();
	return {...counts, polluted: pollution.length, errors: errors.length, stalls};
}

async function send(daemon: Proven, {client, operator, ids}: World, request: string, some: Case): Promise<RawAnswer> {
	const {body, headers = [type, lengthOf(body)], slowness = 0} = some;
	const [method = '', route = ''] = request.split(' ');
	const {hostname, port, host} = new URL(daemon.url);
	const path = route.replaceAll(/:(\w+?)(?:Id)?\b/g, (_, name: string) => ids.get(name) ?? name);
	const credentials = Object.entries((route.startsWith('/users') ? operator : client).headers);
	const lines = [
		`${method} /v1${path} HTTP/1.1`,
		`Host: ${host}`,
		...credentials.map(pair => pair.join(': ')),
		...headers,
		'Connection: close',
	];
	const socket = net.connect(Number(port), hostname).on('error', () => {});
	const answer = readAll(socket);
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	for (const piece of slowness > 0 ? body : [body]) {
		socket.write(piece, 'latin1');
		await sleep(slowness);
	}

	return parseAnswer(await answer);
}

async function readAll(socket: net.Socket): Promise<string> {
	let text = '';
	socket.setEncoding('utf8').on('data', chunk => {
		text += String(chunk);
	});
	await once(socket, 'close');
	return text;
}

function codeOf({body}: RawAnswer): unknown {
	try {
		return JSON.parse(body).code;
	} catch {
		return undefined;
	}
}
