/**
 * @typedef {{name: string, in: string, example?: string}} Parameter
 * @typedef {{operationId: string, parameters?: Parameter[], requestBody?: {content: Record<string, {example?: Record<string, unknown>}>}}} Operation
 * @typedef {{paths: Record<string, Record<string, Operation>>}} Document
 */

/** The operations of a document, and which of them were called and succeeded. */
export class Operations {
	/** Paths without parameters first, so that `/inboxes/keys` does not match `/inboxes/{inboxId}`. */
	#paths;
	/** @type {Map<string, boolean>} called operations by id, with true if one call succeeded */
	called = new Map();

	/** @param {Document} document */
	constructor({paths}) {
		this.#paths = Object.entries(paths)
			.sort(([a], [b]) => a.split('{').length - b.split('{').length)
			.map(([path, operations]) => ({pattern: new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations}));
	}

	/**
	 * The operation of a request; undefined if there is none.
	 * @param {string | undefined} method
	 * @param {string} target path with an optional query
	 */
	find(method = '', target) {
		const [path = ''] = target.split('?', 1);
		return this.#paths.find(({pattern}) => pattern.test(path))?.operations[method.toLowerCase()];
	}

	/** @param {Operation | undefined} operation @param {number | undefined} status of the response */
	note(operation, status = 0) {
		if (operation) {
			const {operationId: id} = operation;
			this.called.set(id, (status >= 200 && status < 300) || this.called.get(id) === true);
		}
	}
}
