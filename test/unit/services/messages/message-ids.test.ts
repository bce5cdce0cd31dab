import {validate, version} from 'uuid';
import {expect, test} from 'vitest';
import {MessageIds} from '../../../../src/services/messages/receive.js';

test('message ids are unique, increasing UUIDs of version 7', () => {
	const ids = new MessageIds();
	const made = Array.from({length: 20_000}, () => ids.next());
	expect(made.every(id => validate(id) && version(id) === 7)).toBe(true);
	expect(made.every((id, index) => index === 0 || id > (made[index - 1] ?? ''))).toBe(true);
	expect(new Set(made.map(id => id.slice(-12))).size).toBe(made.length);
});
