/** Where a pane stands, and whether it gets the keys. */
export type PanePlace = {readonly width: number; readonly height: number; readonly focused: boolean};
