import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {TemplateBody} from '../../../../src/contract/templates.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const template: TemplateBody = {
	provider: 'resend',
	id: 'welcome',
	subject: 'Hi {{{NAME}}}',
	text: null,
	html: '<p>{{{NAME}}}</p>',
	fallback_values: {NAME: 'there'},
	created_at: '2026-01-01T11:55:00.000Z',
};

test('templates put sends the file contents and prints the id', async () => {
	const put: unknown[] = [];
	const calls: FakeCalls = {
		templates: {
			async put(...args) {
				put.push(args);
				return template;
			},
		},
	};
	const file = path.join(await tempDir(), 'welcome.html');
	await writeFile(file, '<p>{{{NAME}}}</p>');
	const flags = ['--subject', 'Hi {{{NAME}}}', '--html', file, '--fallback', 'NAME=there', '--fallback', 'A=b=c'];
	const {exitCode, stdout} = await runFake(['templates', 'put', 'resend', 'welcome', ...flags], calls);
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'welcome\n'});
	const body = {subject: 'Hi {{{NAME}}}', html: '<p>{{{NAME}}}</p>', fallback_values: {NAME: 'there', A: 'b=c'}};
	expect(put).toEqual([['resend', 'welcome', body]]);
	const printed = await runFake(['templates', 'put', 'resend', 'welcome', '--html', file, '--json=id,subject'], calls);
	expect(JSON.parse(printed.stdout)).toEqual({id: 'welcome', subject: 'Hi {{{NAME}}}'});
});

test.each([
	[['put', 'nobody', 'welcome'], /Invalid <provider> "nobody"\. Supported: resend, ses,/],
	[['put', 'resend', 'welcome', '--fallback', 'NAME'], /--fallback must be a name, "=" and a value/],
	[['delete', 'resend'], /Missing argument <template>\./],
])('templates %j is rejected with exit code 2', async (args, message) => {
	const {exitCode, stderr} = await runFake(['templates', ...args]);
	expect(exitCode).toBe(2);
	expect(stderr).toMatch(message);
});

test('templates list shows the parts of each template', async () => {
	const {provider, id, subject, created_at} = template;
	const rows = [{provider, id, subject, created_at, parts: ['subject', 'html']}];
	const calls: FakeCalls = {templates: {list: async () => ({templates: rows})}};
	const {stdout} = await runFake(['templates', 'list'], calls);
	expect(stdout).toBe('resend\twelcome\tHi {{{NAME}}}\tsubject,html\t2026-01-01T11:55:00.000Z\n');
	const none = await runFake(
		['templates', 'list'],
		{templates: {list: async () => ({templates: []})}},
		{terminal: {isTTY: true}},
	);
	expect(none.stderr).toBe(
		'There are no templates yet. Create one: tinbox templates put <provider> <template> --html <file>\n',
	);
});

test('templates delete sends the provider and the id', async () => {
	const deleted: unknown[] = [];
	const calls: FakeCalls = {
		templates: {
			async delete(...args) {
				deleted.push(args);
				return {message: 'The template is deleted.'};
			},
		},
	};
	const {stderr} = await runFake(['templates', 'delete', 'resend', 'welcome'], calls);
	expect(stderr).toBe('Deleted the template welcome of resend.\n');
	expect(deleted).toEqual([['resend', 'welcome']]);
});
