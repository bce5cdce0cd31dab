import {pick} from '../random.js';

/**
 * @typedef {import('./model.js').FaultInput} FaultInput
 * @typedef {import('../random.js').Random} Random
 */

/** Seeds whose random sequences the suite has recorded. */
export const seeds = [1, 2, 3, 4];
export const probabilities = [0.3, 0.7];

const inboxStages = /** @type {const} */ ([
	'auth',
	'mail',
	'rcpt',
	'rcpt',
	'rcpt',
	'data',
	'data',
	'end',
	'end',
	'end',
]);
const soloStages = /** @type {const} */ (['connect', 'helo', 'helo', 'starttls']);

const replies = [
	'451 4.7.1 Try again later',
	'450 4.2.1 The mailbox is busy',
	'452 4.2.2 Mailbox full',
	'550 5.1.1 No such user',
	'554 5.7.1 Refused: policy',
	'451 Later',
	'552 Too much',
];

/**
 * @param {Random} random
 * @param {{inboxes: ReadonlyArray<{id: string, address: string}>, domain: string, isAlone: boolean}} where
 * @returns {{input: FaultInput, inboxId: string | null}} null for a fault of the daemon, limited to this domain unless `isAlone`
 */
export function randomRule(random, {inboxes, domain, isAlone}) {
	const isDaemons = random(3) === 0;
	const stage = pick(random, isDaemons && isAlone && random(3) > 0 ? soloStages : inboxStages);
	const knowsMail = stage === 'mail' || stage === 'rcpt' || stage === 'data' || stage === 'end';
	const own =
		stage === 'auth' ? {user: domain} : {from: random(2) === 0 ? `@${domain}` : `/@${domain.replaceAll('.', '\\.')}$/`};
	const match = {
		...(isDaemons && !isAlone && own),
		...(knowsMail && random(4) === 0 && {from: pick(random, [`SHOP@${domain}`, `/^login@${domain}/`])}),
		...(stage !== 'mail' &&
			knowsMail &&
			random(4) === 0 && {to: pick(random, ['+a', '/\\+[ab]@/i', inboxes[0]?.address ?? '@'])}),
		...(stage === 'end' && random(3) === 0 && {subject: pick(random, ['reset', 'Hello 1', '/^(Reset|Order) [12]$/'])}),
		...(knowsMail && random(10) === 0 && {user: pick(random, [inboxes[0]?.id ?? '-', domain])}),
	};
	/** @type {FaultInput} */
	const input = {
		stage,
		...(Object.keys(match).length > 0 && {match}),
		...randomGate(random, stage),
		...(random(10) === 0 && {ttl: 3600}),
		...(random(10) === 0 && {name: `rule ${random(100)}`}),
	};
	const inboxId = isDaemons ? null : pick(random, inboxes).id;
	return {input: {...input, ...randomAction(random, stage, input.rate !== undefined)}, inboxId};
}

/**
 * Random conditions of a hit.
 * @param {Random} random
 * @param {FaultInput['stage']} stage
 */
function randomGate(random, stage) {
	return {
		...(stage === 'rcpt' && random(2) === 0 && {per: /** @type {const} */ ('recipient')}),
		...(stage === 'end' && random(2) === 0 && {per: /** @type {const} */ ('message')}),
		...(random(3) > 0 && {times: 1 + random(3)}),
		...(random(3) === 0 && {after: random(4)}),
		...(random(5) === 0 && {rate: {count: 1 + random(4), seconds: 86_400}}),
		...(random(5) === 0 && {probability: pick(random, probabilities), seed: pick(random, seeds)}),
	};
}

/**
 * A random effect.
 * @param {Random} random
 * @param {FaultInput['stage']} stage
 * @param {boolean} hasRate
 * @returns {Partial<FaultInput>}
 */
function randomAction(random, stage, hasRate) {
	/** @type {ReadonlyArray<Partial<FaultInput>>} */
	const actions = [
		...Array(5).fill({reply: pick(random, replies)}),
		{reply: pick(random, replies), delay_ms: 1 + random(20)},
		{reply: pick(random, replies), byte_delay_ms: 1},
		{delay_ms: 1 + random(20)},
		{byte_delay_ms: 1},
		{drop: 'before'},
		{drop: 'before', delay_ms: random(10)},
		{drop: 'mid'},
		{reply: pick(random, replies), drop: 'mid'},
		...(stage === 'end' ? Array(3).fill({drop: 'after_commit'}) : []),
		...(hasRate ? Array(8).fill({}) : []),
	];
	return pick(random, actions);
}
