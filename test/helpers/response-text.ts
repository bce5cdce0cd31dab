/** The body of a response, or the first chunk of an event stream, which does not end. */
export async function responseText(response: Response): Promise<string> {
	if (response.headers.get('Content-Type')?.startsWith('text/event-stream') && response.body) {
		for await (const chunk of response.body) {
			return new TextDecoder().decode(chunk);
		}
	}

	return response.text();
}
