import http from 'node:http';
import https from 'node:https';
import {type LookupFunction, Socket} from 'node:net';
import {exemption, type TargetPolicy} from '../domain/webhooks/target.js';
import {Pace} from '../lib/pace.js';
import {paceReading} from '../lib/paced-reading.js';
import type {Names, Question} from './names.js';

/** Receivers to which connections are kept; as many to each as it has attempts at a time. */
const maxIdleReceivers = 128;

/** What all receivers together may have read in one turn of the event loop. */
const maxBytesPerTurn = 16 * 1024;

/** Bytes that are parsed at a time. */
const pieceLength = 2048;

/** The refusal to connect to an address that the policy forbids. */
export class ForbiddenTarget extends Error {
	constructor(host: string, address: string) {
		super(
			`Webhooks must not be sent to ${host === address ? host : `${host}, which is ${address}`}${exemption(address)}.`,
		);
	}
}

/**
 * Connections by the protocol of a URL. They are kept open for `idleMs`, whatever the receiver proposes, and not to many
 * receivers. What comes on them holds nobody up.
 */
export function createAgents(idleMs: number): ReadonlyMap<string, http.Agent> {
	const options = {keepAlive: true, timeout: idleMs, maxFreeSockets: 4};
	const pace = new Pace(maxBytesPerTurn);
	return new Map([
		['http:', keepFew(keepPace(new http.Agent(options), pace))],
		['https:', keepFew(keepPace(new https.Agent(options), pace))],
	]);
}

function keepPace(agent: http.Agent, pace: Pace): http.Agent {
	const connect = agent.createConnection.bind(agent);
	agent.createConnection = (options, callback) => {
		const socket = connect(options, callback);
		if (socket instanceof Socket) {
			paceReading(socket, pace, pieceLength);
		}

		return socket;
	};
	return agent;
}

function keepFew(agent: http.Agent): http.Agent {
	const keep = agent.keepSocketAlive.bind(agent);
	agent.keepSocketAlive = socket => Object.keys(agent.freeSockets).length < maxIdleReceivers && Boolean(keep(socket));
	return agent;
}

/**
 * A lookup for `net.connect` that hands on a name's addresses only when the policy allows every one of them. The
 * connection is then made to just these, so a name cannot be pointed elsewhere in between (DNS rebinding).
 */
export function createLookup(
	names: Names,
	allows: TargetPolicy,
	asker: Pick<Question, 'userId' | 'signal'>,
): LookupFunction {
	const find = async (hostname: string, family: number) => {
		const addresses = await names.find({...asker, hostname, family});
		const forbidden = addresses.find(({address}) => !allows(address));
		if (forbidden) {
			throw new ForbiddenTarget(hostname, forbidden.address);
		}

		return addresses;
	};
	return (hostname, {all, family}, callback) => {
		find(hostname, Number(family ?? 0)).then(
			addresses =>
				all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
			error => callback(error, []),
		);
	};
}
