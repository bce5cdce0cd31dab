/** A sentence about what was just done, or why it was not. */
export type Notice = {readonly text: string; readonly tone: 'info' | 'error'};
