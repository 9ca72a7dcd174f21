/** `2026-11-30 02:43:12 UTC` of an RFC 3339 time. */
export const dateAndTime = (time: string): string => `${time.slice(0, 10)} ${timeOfDay(time)} UTC`;

/** `02:43:12`, in UTC. */
export const timeOfDay = (time: string): string => time.slice(11, 19);

/** `1 h 2 min`, `3 min 4 s` or `5 s` between two RFC 3339 times. */
export function duration(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
