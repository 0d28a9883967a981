package org.schedgpu.papers.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.papers.lane.Members.member;

import org.junit.jupiter.api.Test;

/** Algorithm 1: new lane, best match, the smallest lane that can grow, wait. */
class LanesTest {
  private static Lanes lanes(long capacity, int most) {
    return new Lanes(capacity, most, () -> new Turn(LanePolicy.PACK, 1, 5, 0));
  }

  private static Member joined(Lanes lanes, long persistent, long ephemeral) {
    Member member = member("job", persistent, ephemeral);
    assertTrue(lanes.join(member));
    return member;
  }

  @Test
  void aNewLaneIsOpenedWhileItFits() {
    Lanes lanes = lanes(20, 128);
    Member first = joined(lanes, 2, 8);
    Member second = joined(lanes, 2, 8);
    assertNotSame(first.lane, second.lane);
    assertEquals(20, lanes.usedBytes());
  }

  @Test
  void theSmallestLaneThatIsLargeEnoughIsNext() {
    Lanes lanes = lanes(24, 128);
    joined(lanes, 1, 9);
    Member five = joined(lanes, 1, 5);
    joined(lanes, 1, 3);
    assertSame(five.lane, joined(lanes, 1, 4).lane);
  }

  @Test
  void ofEqualLanesTheLowestIndexIsTaken() {
    Lanes lanes = lanes(14, 128);
    Member first = joined(lanes, 1, 5);
    joined(lanes, 1, 5);
    assertSame(first.lane, joined(lanes, 1, 4).lane);
  }

  @Test
  void elseTheSmallestLaneThatCanGrowGrows() {
    Lanes lanes = lanes(16, 128);
    Member small = joined(lanes, 1, 3);
    joined(lanes, 1, 5);
    assertSame(small.lane, joined(lanes, 1, 7).lane);
    assertEquals(7, small.lane.sizeBytes());
    assertEquals(15, lanes.usedBytes());
  }

  /**
   * The algorithm of the paper forgets P where a lane is large enough; the safety condition not.
   */
  @Test
  void aJobWhosePersistentMemoryDoesNotFitWaitsThoughALaneIsLargeEnough() {
    Lanes lanes = lanes(12, 128);
    joined(lanes, 3, 9);
    assertFalse(lanes.join(member("second", 1, 5)));
  }

  @Test
  void aLaneThatIsTooSmallAndCannotGrowIsNotTaken() {
    Lanes lanes = lanes(12, 128);
    joined(lanes, 1, 6);
    assertFalse(lanes.join(member("large", 1, 11)));
  }

  @Test
  void aLaneShrinksWithItsLargestMemberAndEndsWithItsLast() {
    Lanes lanes = lanes(12, 1);
    Member large = joined(lanes, 1, 9);
    Member small = joined(lanes, 1, 2);
    assertEquals(11, lanes.usedBytes());
    lanes.leave(large);
    assertEquals(3, lanes.usedBytes());
    lanes.leave(small);
    assertEquals(0, lanes.usedBytes());
    assertTrue(lanes.all().isEmpty());
  }

  @Test
  void withoutAFreeRecordNoLaneIsOpened() {
    Lanes lanes = lanes(100, 1);
    Member first = joined(lanes, 1, 9);
    assertSame(first.lane, joined(lanes, 1, 9).lane);
    assertEquals(11, lanes.usedBytes());
  }
}
