import {inject} from 'vitest';

/** The URL of a database with the schema of the store, or with nothing at all, on the server of this run. */
export async function createDatabase({isEmpty = false} = {}): Promise<string> {
	const answer = await fetch(`${inject('databases')}/${isEmpty ? 'empty' : 'migrated'}`, {method: 'POST'});
	const text = await answer.text();
	if (!answer.ok) {
		throw new Error(text);
	}

	return text;
}

/** It goes soon, whoever uses it. */
export async function dropDatabase(url: string): Promise<void> {
	await fetch(inject('databases') + new URL(url).pathname, {method: 'DELETE'});
}
