/** Options that several commands share. */
export const FILES = ['-f, --filename <path...>', 'file, folder or - for standard input; YAML or JSON'] as const;
export const RECURSIVE = ['-R, --recursive', 'look in the folders of a folder too'] as const;
export const DRY_RUN = ['--dry-run [mode]', 'check and say what would happen; store nothing'] as const;
export const ALL_NAMESPACES = ['-A, --all-namespaces', 'in every namespace'] as const;
export const SELECTOR = ['-l, --selector <labels>', "only those whose labels match: app=x,tier!=db,'env in (a,b)'"] as const;
export const SHOW_LABELS = ['--show-labels', 'a column with the labels'] as const;
export const NO_HEADERS = ['--no-headers', 'rows only'] as const;
export const TIMEOUT = ['--timeout <duration>', 'how long to wait: 30s, 5m'] as const;

export const CASCADE = [
  '--cascade <mode>',
  'its children: background (the default) takes them along, foreground waits until they are gone, orphan leaves them',
] as const;

export const WAIT = ['--wait [boolean]', 'come back when it is ready; shows how far it is'] as const;

export const REDRAW = ['-w, --watch', 'draw it again as it changes; Ctrl-C ends it with exit code 0'] as const;

export const READING = [
  ALL_NAMESPACES,
  SELECTOR,
  ['-w, --watch', 'then print every change; Ctrl-C ends it with exit code 0'],
  SHOW_LABELS,
  NO_HEADERS,
] as const;

export const DELETING = [
  FILES,
  RECURSIVE,
  ['--all', 'all of the kind in the namespace'],
  ALL_NAMESPACES,
  SELECTOR,
  ['--force', 'end it without clean-up; says what is left behind'],
  CASCADE,
  ['--wait [boolean]', 'come back when it is gone (the default)'],
  ['--no-wait', 'come back when the deletion is recorded'],
  TIMEOUT,
  ['--ignore-not-found', 'what is not there is no error'],
] as const;
