import {type DaemonSettings, daemonSettings, flagOf} from '../config/settings.js';
import type {Bound} from '../domain/errors.js';
import type {ConnectionLimits} from '../http/server/connections.js';
import type {Log} from '../lib/log.js';
import {SlotPool} from '../lib/queue/slots.js';
import {formatSize} from '../lib/text/units.js';
import type {Limit, UserLimits} from '../services/quotas.js';
import type {SessionLimits} from '../smtp/server.js';

/** Limits of a daemon. */
export type DaemonLimits = {
	readonly http: ConnectionLimits;
	readonly smtp: SessionLimits;
	/** Concurrent webhook attempts. */
	readonly attempts: number;
	readonly ofUsers: UserLimits;
	/** Members per team. */
	readonly members: Bound;
};

type LimitName =
	| 'maxInboxes'
	| 'maxEndpoints'
	| 'maxTeams'
	| 'maxMessages'
	| 'maxStored'
	| 'maxDeliveries'
	| 'maxPolls'
	| 'maxStreams';

/** File descriptors reserved for the store and large mails: a minimum and a share of the limit. */
const kept = {files: 100, part: 1 / 20};

/** Outgoing connections: their shares of all connections, and maximums. */
const outgoing = {
	attempts: {part: 1 / 8, most: 512},
	idle: {part: 1 / 32, most: 256},
	mails: {part: 1 / 32, most: 64},
};

/** Maximum numbers of outgoing connections. */
type OutgoingConnections = {
	/** For webhook attempts: enough for hundreds of receivers that never respond beside those that do. */
	readonly attempts: number;
	/** Idle connections to receivers of webhooks. */
	readonly idle: number;
	/** To mail servers. */
	readonly mails: number;
};

/** Connections reserved for each listener: a share and a maximum. */
const own = {part: 1 / 8, connections: 1000};

/** Shares of the HTTP connections that long polls and streams may hold, so that others remain for short requests. */
const heldParts = {
	maxPolls: {perUser: 0.7, total: 0.85},
	maxStreams: {perUser: 0.05, total: 0.1},
};

/** Connections that suffice for most. The log reports a lower limit even with default settings. */
const plenty = 5000;

/**
 * Idle time after which an SMTP session may be closed to make room. Short, so that a program that takes all connections
 * repeatedly does not lock out others.
 */
const evictAfterMs = 100;

/** Connections that fit into the limit of open files. */
function connectionsWithin(openFiles: number): number {
	return Math.max(16, Math.floor(openFiles * (1 - kept.part)) - kept.files);
}

/** Limits of outgoing connections within the limit of open files. */
export function outgoingConnections(openFiles: number): OutgoingConnections {
	const within = ({part, most}: {readonly part: number; readonly most: number}) =>
		Math.max(1, Math.min(most, Math.floor(connectionsWithin(openFiles) * part)));
	return {attempts: within(outgoing.attempts), idle: within(outgoing.idle), mails: within(outgoing.mails)};
}

/** Limits of the settings, reduced to the limit of open files. A reduction is logged. */
export function daemonLimits(
	settings: DaemonSettings,
	{openFiles, log}: {readonly openFiles: number; readonly log: Log},
): DaemonLimits {
	const outgoing = outgoingConnections(openFiles);
	const forConnections = connectionsWithin(openFiles) - outgoing.attempts - outgoing.idle - outgoing.mails;
	const ofEach = Math.floor(Math.min(forConnections * own.part, own.connections));
	const most = forConnections - ofEach;
	const bound = (name: 'maxConnections' | 'maxHttpConnections'): Bound => {
		const flag = flagOf(name);
		return settings[name] <= most
			? {max: settings[name], raiseAdvice: `a larger ${flag}`}
			: {max: most, raiseAdvice: `a higher "ulimit -n" (now ${openFiles}), which limits ${flag}`};
	};
	const [http, smtp] = [bound('maxHttpConnections'), bound('maxConnections')];
	const wanted = (name: 'maxConnections' | 'maxHttpConnections') =>
		settings[name] === daemonSettings[name].initial ? Math.min(settings[name], plenty) : settings[name];
	if (Math.max(wanted('maxHttpConnections'), wanted('maxConnections')) > most) {
		log.warn(
			{openFiles, http: http.max, smtp: smtp.max},
			'Connection limits were reduced to fit the open-file limit (ulimit -n)',
		);
	}

	const limit = (
		name: LimitName,
		noun: string,
		freeAdvice = 'Delete some',
		format: Limit['format'] = String,
	): Limit => {
		return {noun, ...settings[name], format, freeAdvice, raiseAdvice: `a larger ${flagOf(name)}`};
	};
	const heldLimit = (name: keyof typeof heldParts, noun: string): Limit => {
		const {perUser, total} = heldParts[name];
		const wanted = limit(name, noun, 'Close some');
		const userLimit = Math.max(1, Math.floor(http.max * perUser));
		const totalLimit = Math.max(1, Math.floor(http.max * total));
		return wanted.perUser <= userLimit && wanted.total <= totalLimit
			? wanted
			: {
					...wanted,
					perUser: Math.min(wanted.perUser, userLimit),
					total: Math.min(wanted.total, totalLimit),
					raiseAdvice: `${http.raiseAdvice}, which limits ${flagOf(name)}`,
				};
	};
	const slots = new SlotPool(forConnections);
	const {maxPipelined, maxMembers} = settings;
	return {
		members: {max: maxMembers, raiseAdvice: `a larger ${flagOf('maxMembers')}`},
		http: {
			connections: http,
			slots: slots.share(http.max, ofEach),
			pipelined: {max: maxPipelined, total: 100 * maxPipelined, raiseAdvice: `a larger ${flagOf('maxPipelined')}`},
		},
		smtp: {connections: smtp, slots: slots.share(smtp.max, ofEach), evictAfterMs},
		attempts: outgoing.attempts,
		ofUsers: {
			inboxes: limit('maxInboxes', 'inboxes'),
			endpoints: limit('maxEndpoints', 'webhook endpoints'),
			teams: limit('maxTeams', 'teams'),
			messages: limit('maxMessages', 'messages'),
			bytes: limit('maxStored', 'of mail', 'Delete some', formatSize),
			deliveries: limit(
				'maxDeliveries',
				'unfinished webhook deliveries',
				'Delete endpoints whose receivers do not respond',
			),
			polls: heldLimit('maxPolls', 'open long polls'),
			streams: heldLimit('maxStreams', 'event streams'),
		},
	};
}
