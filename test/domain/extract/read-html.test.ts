import {expect, test} from 'vitest';
import {readHtml} from '../../../src/domain/extract/read-html.js';

test.each([
	['<a href="u"><div>Confirm</div><div>email</div></a>', 'Confirm email'],
	['<a href="u"><table><tr><td>Confirm<td>email</table></a>', 'Confirm email'],
	['<a href="u">Confirm<br>email</a>', 'Confirm email'],
	['<a href="u">Con<b>firm</b> email</a>', 'Confirm email'],
	['<a href="u"><img alt="Confirm">email</a>', 'Confirm email'],
])('the text of a link is parted where its lines are: %s', (html, text) => {
	expect(readHtml(html).anchors).toEqual([{url: 'u', text}]);
});
