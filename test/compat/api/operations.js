/**
 * @typedef {{name: string, in: string, example?: string}} Parameter
 * @typedef {{operationId: string, parameters?: Parameter[], requestBody?: {content: Record<string, {example?: Record<string, unknown>}>}}} Operation
 * @typedef {{paths: Record<string, Record<string, Operation>>}} Document
 */

/** The operations of a document, and which of them were called and did what they are for. */
export class Operations {
	/** Paths without parameters first: `/inboxes/keys` is no inbox. */
	#paths;
	/** @type {Map<string, boolean>} whether it had a success, by the id of an operation that was called */
	called = new Map();

	/** @param {Document} document */
	constructor({paths}) {
		this.#paths = Object.entries(paths)
			.sort(([a], [b]) => a.split('{').length - b.split('{').length)
			.map(([path, operations]) => ({pattern: new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations}));
	}

	/**
	 * What a request is for; undefined when it is for nothing.
	 * @param {string | undefined} method
	 * @param {string} target its path, with or without a query
	 */
	find(method = '', target) {
		const [path = ''] = target.split('?', 1);
		return this.#paths.find(({pattern}) => pattern.test(path))?.operations[method.toLowerCase()];
	}

	/** @param {Operation | undefined} operation @param {number | undefined} status of an answer */
	note(operation, status = 0) {
		if (operation) {
			const {operationId: id} = operation;
			this.called.set(id, (status >= 200 && status < 300) || this.called.get(id) === true);
		}
	}
}
