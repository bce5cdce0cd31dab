import {SesProblem} from './problems.js';

/** As many parameters, and as long and deep a name of one, as any request of the query protocol has, and some. */
const maxParameters = 10_000;
const maxNameLength = 200;
const maxDepth = 10;

type Node = {[step: string]: Node | string};

/** The parameters of the query protocol (`Destination.ToAddresses.member.1`) as objects, lists and texts. */
export function readQueryFields(body: Buffer): Record<string, unknown> {
	const root = newNode();
	let count = 0;
	for (const [name, value] of new URLSearchParams(body.toString())) {
		count += 1;
		if (count > maxParameters) {
			throw new SesProblem('malformed', `The request has more than ${maxParameters} parameters.`);
		}

		put(root, name, value);
	}

	return withLists(root) as Record<string, unknown>;
}

/** The action that a request names; what follows an ampersand is a parameter. */
export function actionNamed(body: Buffer): string {
	const start = body.subarray(0, 'Action='.length).equals(Buffer.from('Action=')) ? 0 : body.indexOf('&Action=') + 1;
	const [, action = ''] = /^Action=([\w.%-]{0,100})/.exec(body.toString('latin1', start, start + 110)) ?? [];
	return action;
}

function put(root: Node, name: string, value: string): void {
	const split = name.slice(0, maxNameLength + 1).split('.');
	const steps = name.length > maxNameLength || split.length > maxDepth ? [name] : split;
	const last = steps.pop() ?? '';
	let node = root;
	for (const step of steps) {
		const next = node[step] ?? newNode();
		if (typeof next === 'string') {
			throw twoMeanings(name);
		}

		node[step] = next;
		node = next;
	}

	if (typeof node[last] === 'object') {
		throw twoMeanings(name);
	}

	node[last] = value;
}

function twoMeanings(name: string): SesProblem {
	return new SesProblem('malformed', `Unexpected list or structure at ${name}.`);
}

/** Without a prototype: somebody else gives the names. */
function newNode(): Node {
	return Object.create(null) as Node;
}

function withLists(node: Node | string): unknown {
	if (typeof node === 'string') {
		return node;
	}

	const {member, ...others} = node;
	if (typeof member === 'object' && Object.keys(others).length === 0) {
		const places = Object.keys(member).sort((one, other) => Number(one) - Number(other));
		return places.map(place => withLists(member[place] ?? ''));
	}

	for (const [step, value] of Object.entries(node)) {
		(node as Record<string, unknown>)[step] = withLists(value);
	}

	return node;
}
