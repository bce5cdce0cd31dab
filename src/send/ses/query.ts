import {z} from 'zod';
import {optional} from '../json.js';
import {SesProblem} from './errors.js';
import {type SendBulkEmailFields, type SendEmailFields, type SesSending, sesContent} from './schemas.js';

/**
 * Actions of version 1 of the API (model of 2010-12-01), converted to the fields of version 2. The query protocol writes an empty list
 * as an empty text.
 */

const text = z.string();
const given = optional(text);

function list<Schema extends z.ZodType>(schema: Schema) {
	return z.preprocess(value => (value === undefined || value === '' ? [] : value), z.array(schema));
}

const addresses = list(text);
const destination = z.preprocess(
	value => (value === '' ? {} : value),
	z.strictObject({ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses}),
);
const tags = list(z.strictObject({Name: text, Value: text}));
const templateData = text.max(262_144);

const sending = {
	ReplyToAddresses: addresses,
	ReturnPath: given,
	SourceArn: given,
	ReturnPathArn: given,
	ConfigurationSetName: given,
};

type OldSending = {readonly Source?: string | undefined} & z.output<z.ZodObject<typeof sending>>;

function sendingOf(fields: OldSending): SesSending {
	return {
		FromEmailAddress: fields.Source,
		FromEmailAddressIdentityArn: fields.SourceArn,
		ReplyToAddresses: fields.ReplyToAddresses,
		FeedbackForwardingEmailAddress: fields.ReturnPath,
		FeedbackForwardingEmailAddressIdentityArn: fields.ReturnPathArn,
		ConfigurationSetName: fields.ConfigurationSetName,
	};
}

function templateOf(fields: {Template: string; TemplateArn?: string | undefined}, data: string | undefined) {
	return {
		TemplateName: fields.Template,
		TemplateArn: fields.TemplateArn,
		TemplateData: data,
		Headers: [],
		Attachments: [],
	};
}

const sendEmail = z
	.strictObject({
		...sending,
		Source: text,
		Destination: destination,
		Message: z.strictObject({
			Subject: sesContent,
			Body: z.preprocess(
				value => (value === '' ? {} : value),
				z.strictObject({Text: optional(sesContent), Html: optional(sesContent)}),
			),
		}),
		Tags: tags,
	})
	.transform(
		(fields): SendEmailFields => ({
			...sendingOf(fields),
			Destination: fields.Destination,
			Content: {Simple: {...fields.Message, Headers: [], Attachments: []}},
			EmailTags: fields.Tags,
		}),
	);

const sendRawEmail = z
	.strictObject({
		Source: given,
		Destinations: addresses,
		RawMessage: z.strictObject({Data: text}),
		FromArn: given,
		SourceArn: given,
		ReturnPathArn: given,
		Tags: tags,
		ConfigurationSetName: given,
	})
	.transform(
		({FromArn, ...fields}): SendEmailFields => ({
			...sendingOf({...fields, SourceArn: fields.SourceArn ?? FromArn, ReplyToAddresses: []}),
			Destination: {ToAddresses: fields.Destinations, CcAddresses: [], BccAddresses: []},
			Content: {Raw: fields.RawMessage},
			EmailTags: fields.Tags,
		}),
	);

const sendTemplatedEmail = z
	.strictObject({
		...sending,
		Source: text,
		Destination: destination,
		Tags: tags,
		Template: text,
		TemplateArn: given,
		TemplateData: templateData,
	})
	.transform(
		(fields): SendEmailFields => ({
			...sendingOf(fields),
			Destination: fields.Destination,
			Content: {Template: templateOf(fields, fields.TemplateData)},
			EmailTags: fields.Tags,
		}),
	);

const sendBulkTemplatedEmail = z
	.strictObject({
		...sending,
		Source: text,
		DefaultTags: tags,
		Template: text,
		TemplateArn: given,
		DefaultTemplateData: optional(templateData),
		Destinations: list(
			z.strictObject({
				Destination: destination,
				ReplacementTags: tags,
				ReplacementTemplateData: optional(templateData),
			}),
		),
	})
	.transform(
		(fields): SendBulkEmailFields => ({
			...sendingOf(fields),
			DefaultEmailTags: fields.DefaultTags,
			DefaultContent: {Template: templateOf(fields, fields.DefaultTemplateData)},
			BulkEmailEntries: fields.Destinations.map(entry => ({
				Destination: entry.Destination,
				ReplacementTags: entry.ReplacementTags,
				ReplacementEmailContent: {ReplacementTemplate: {ReplacementTemplateData: entry.ReplacementTemplateData}},
				ReplacementHeaders: [],
			})),
		}),
	);

export const singleActions = {
	SendEmail: sendEmail,
	SendRawEmail: sendRawEmail,
	SendTemplatedEmail: sendTemplatedEmail,
} as const;

export const bulkActions = {SendBulkTemplatedEmail: sendBulkTemplatedEmail} as const;

/** Limits of a request, higher than any request of the query protocol needs. */
const maxParameters = 10_000;
const maxNameLength = 200;
const maxDepth = 10;

type Node = {[step: string]: Node | string};

/** Parses the parameters of the query protocol (`Destination.ToAddresses.member.1`) to objects, lists and texts. */
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

/** Name of the action of a request. */
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

/** Creates a node without a prototype, because clients choose the names. */
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
