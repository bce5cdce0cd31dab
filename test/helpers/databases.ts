import {inject} from 'vitest';

/** Creates a database on the server of this test run, with the schema of the store unless `isEmpty`, and returns its URL. */
export async function createDatabase({isEmpty = false} = {}): Promise<string> {
	const answer = await fetch(`${inject('databases')}/${isEmpty ? 'empty' : 'migrated'}`, {method: 'POST'});
	const text = await answer.text();
	if (!answer.ok) {
		throw new Error(text);
	}

	return text;
}

/** Requests the removal of a database, also if it has connections. Does not wait for it. */
export async function dropDatabase(url: string): Promise<void> {
	await fetch(inject('databases') + new URL(url).pathname, {method: 'DELETE'});
}
