import {methodAndPath, type Operation} from '../operation.js';
import {pathParameterNames} from './parameters.js';
import type {OperationLink} from './responses.js';

/** What an answer leads to: all operations whose path needs no more than its ids, and what was in its own path. */
export function linksOf(operation: Operation, all: readonly Operation[]): Readonly<Record<string, OperationLink>> {
	const {created, ids = {}} = operation;
	const found = new Map(
		Object.entries({...(created !== undefined && {[created]: 'id'}), ...ids}).map(([name, pointer]) => [
			name,
			`$response.body#/${pointer}`,
		]),
	);
	const known = new Map([
		...pathParameterNames(methodAndPath(operation).path).map(name => [name, `$request.path.${name}`] as const),
		...found,
	]);
	const targets = all.filter(other => {
		const names = pathParameterNames(methodAndPath(other).path);
		return other !== operation && names.every(name => known.has(name)) && names.some(name => found.has(name));
	});
	return Object.fromEntries(targets.map(target => [target.id, linkTo(target, known)]));
}

function linkTo(target: Operation, known: ReadonlyMap<string, string>): OperationLink {
	const names = pathParameterNames(methodAndPath(target).path);
	return {operationId: target.id, parameters: Object.fromEntries(names.map(name => [name, known.get(name) ?? '']))};
}
