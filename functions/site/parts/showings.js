// When an event takes place.

/** When the next showing begins, or the last one began; undefined without showings. */
export const nextShowing = (event) => {
  const coming = event.showings.find((showing) => Date.parse(showing.end_time) > Date.now());
  return (coming ?? event.showings.at(-1))?.start_time;
};
