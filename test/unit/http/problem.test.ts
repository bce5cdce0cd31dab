import {expect, test} from 'vitest';
import {problemAnswer} from '../../../src/http/server/problems.js';

test('a daemon whose program files are gone responds with 503 and a remedy', async () => {
	const gone = new URL('./gone.js', import.meta.url).href;
	const error = await import(/* @vite-ignore */ gone).catch(reason => reason);
	const {status, text} = problemAnswer(error);
	expect([status, JSON.parse(text)]).toMatchObject([
		503,
		{code: 'unavailable', detail: expect.stringContaining('tinbox daemon restart')},
	]);
});
