/** The reason of a step that waits for time to pass, and for nobody; also of the condition Suspended where all wait so. */
export const FOR_TIME = 'WaitingForTime';
