import {methodAndPath, type Operation} from '../operation.js';

/** How an operation is called from a shell, as documentation tools show it. */
export type Sample = {readonly lang: 'Shell'; readonly label: 'curl' | 'tinbox'; readonly source: string};

/** The header of its caller; the variables are those that the CLI reads, too. */
const headers = {
	anybody: undefined,
	key: 'X-API-Key: $TINBOX_API_KEY',
	keyOrToken: 'X-API-Key: $TINBOX_API_KEY',
	local: 'X-API-Key: $TINBOX_API_KEY',
	token: 'Authorization: Bearer $TINBOX_TOKEN',
	operator: 'Authorization: Bearer $OPERATOR_TOKEN',
	sender: 'Authorization: Bearer $SEND_KEY',
} as const;

export function samplesOf(operation: Operation): readonly Sample[] {
	const {command} = operation;
	return [
		{lang: 'Shell', label: 'curl', source: curlOf(operation)},
		...(command === undefined ? [] : [{lang: 'Shell', label: 'tinbox', source: command} as const]),
	];
}

function curlOf({caller, body, upload, example, ...operation}: Operation): string {
	const {method, path} = methodAndPath(operation);
	const header = headers[caller];
	const words = [
		'curl',
		...(method === 'GET' || (method === 'POST' && (body || upload)) ? [] : [`-X ${method}`]),
		`"$TINBOX_URL${path.replaceAll(/:(\w+)/g, '{$1}')}"`,
		...(header === undefined ? [] : [`-H "${header}"`]),
		...(upload ? [`-H 'Content-Type: ${upload.type}' --data-binary @mail.eml`] : []),
		...(body ? [`--json '${JSON.stringify(example ?? {})}'`] : []),
	];
	return words.join(' ');
}
